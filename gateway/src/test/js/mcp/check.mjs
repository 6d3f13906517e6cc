// The official client against the gateway. Prints `ok NAME` for each check that holds, `not ok NAME: why` for one that
// does not, and `do WHAT` where the test that has started it is to do something.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

const { GATEWAY, ADMIN, USER, GUEST, STRANGER } = process.env
let failed = false

async function check(name, body) {
  try {
    await body()
    console.log(`ok ${name}`)
  } catch (error) {
    failed = true
    console.log(`not ok ${name}: ${String(error?.stack ?? error).replaceAll('\n', ' | ')}`)
  }
}

async function connect(agent, token) {
  const client = new Client({ name: 'check', version: '1.2.3' })
  const transport = new StreamableHTTPClientTransport(new URL(`${GATEWAY}/api/agents/${agent}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return { client, transport }
}

async function api(method, path, body, token = ADMIN) {
  const answer = await fetch(GATEWAY + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return answer.status === 204 ? {} : await answer.json()
}

const exec = (client, command, options) =>
  client.callTool({ name: 'exec', arguments: { command } }, undefined, options)

const { client, transport } = await connect('main', USER)

await check('initialize', async () => {
  assert.equal(client.getServerVersion().name, 'hermit')
  assert.deepEqual(client.getServerCapabilities().tools, { listChanged: true })
  assert.match(client.getInstructions(), /main/)
  const session = await api('GET', `/api/agents/main/sessions/${transport.sessionId}`, undefined, USER)
  assert.equal(session.state, 'open')
  assert.deepEqual(session.source, { kind: 'mcp', platform: 'check' })
  await client.ping()
})
await check('tools', async () => {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map((each) => each.name),
    ['exec', 'exec_background', 'exec_status', 'exec_cancel', 'read_file', 'write_file', 'edit_file', 'list_files'],
  )
  const read = tools.find((each) => each.name === 'read_file')
  assert.deepEqual(read.annotations, {
    title: 'Read a file',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  })
  assert.deepEqual(read.inputSchema.required, ['path'])
})
await check('exec', async () => {
  const result = await exec(client, 'echo out; err wrong; exit 3')
  assert.ok(!result.isError)
  assert.equal(result.structuredContent.exit_code, 3)
  assert.equal(result.structuredContent.stdout, 'out\n')
  assert.match(result.content[0].text, /^out\n\[stderr\]\nwrong\n\[state ended, exit_code 3/)
})
await check('wrong arguments', async () => {
  const result = await client.callTool({ name: 'exec', arguments: { command: 'echo', surprise: 1 } })
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent.code, 'invalid')
  assert.match(result.content[0].text, /surprise/)
})
await check('faults', async () => {
  await assert.rejects(client.callTool({ name: 'rm', arguments: {} }), { code: -32602 })
  await assert.rejects(client.listPrompts(), /-32601|does not support/)
  await assert.rejects(client.readResource({ uri: 'sandbox://default/no/such/file' }), { code: -32002 })
  await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }), { code: -32602 })
})
await check('live output, and cancelling', async () => {
  const stop = new AbortController()
  const seen = []
  const call = exec(client, 'echo live; hang', {
    signal: stop.signal,
    onprogress: (progress) => {
      seen.push(progress)
      if (progress.message === 'live\n') stop.abort('enough')
    },
  })
  await assert.rejects(call, /enough/)
  assert.deepEqual(
    seen.map((each) => each.progress),
    seen.map((_, i) => i + 1),
  )
  for (let ended = false; !ended; ) {
    const { items } = await api('GET', '/api/agents/main/sandboxes/default/execs')
    ended = items.every((each) => each.state === 'ended')
    if (ended) assert.ok(items.some((each) => each.end_reason === 'cancelled'))
  }
})
await check('files', async () => {
  const call = (name, args) => client.callTool({ name, arguments: args })
  assert.equal((await call('write_file', { path: 'notes ü.txt', content: 'one two' })).structuredContent.created, true)
  await call('edit_file', { path: 'notes ü.txt', old_text: 'two', new_text: 'three' })
  assert.deepEqual((await call('read_file', { path: 'notes ü.txt' })).content, [{ type: 'text', text: 'one three' }])
  const again = await call('edit_file', { path: 'notes ü.txt', old_text: 'two', new_text: 'three' })
  assert.equal(again.isError, true)
  assert.equal(again.structuredContent.code, 'conflict')
})
await check('resources', async () => {
  const { resources } = await client.listResources()
  const notes = resources.find((each) => each.name === 'notes ü.txt')
  assert.equal(notes.uri, 'sandbox://default/root/notes%20%C3%BC.txt')
  assert.equal(notes.size, 9)
  const { contents } = await client.readResource({ uri: notes.uri })
  assert.equal(contents[0].text, 'one three')
  await client.callTool({ name: 'write_file', arguments: { path: 'b', content: 'AP8=', encoding: 'base64' } })
  const binary = await client.readResource({ uri: 'sandbox://default/root/b' })
  assert.equal(binary.contents[0].blob, 'AP8=')
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.equal(resourceTemplates[0].uriTemplate, 'sandbox://{alias}/{+path}')
})
await check('approved by another client', async () => {
  const { client: careful } = await connect('careful', USER)
  const asked = []
  const result = await exec(careful, 'echo allowed', {
    onprogress: ({ message }) => {
      const [, id] = /^waiting for approval (\S+),/.exec(message) ?? []
      if (id && !asked.includes(id)) {
        asked.push(id)
        api('POST', `/api/approvals/${id}/decision`, { decision: 'approve' })
      }
    },
  })
  assert.equal(result.structuredContent.stdout, 'allowed\n')
  assert.equal(asked.length, 1)
  await careful.transport.terminateSession()
  await careful.close()
})
await check('denied', async () => {
  const { client: careful } = await connect('careful', USER)
  const result = await exec(careful, 'echo never', {
    onprogress: ({ message }) => {
      const [, id] = /^waiting for approval (\S+),/.exec(message) ?? []
      if (id) api('POST', `/api/approvals/${id}/decision`, { decision: 'deny', reason: 'not today' })
    },
  })
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent.code, 'denied')
  assert.match(result.content[0].text, /not today/)
  await careful.transport.terminateSession()
  await careful.close()
})
await check('a request that is taken back', async () => {
  const { client: careful } = await connect('careful', USER)
  const stop = new AbortController()
  let asked
  await assert.rejects(
    exec(careful, 'echo never', {
      signal: stop.signal,
      onprogress: ({ message }) => {
        asked ??= /^waiting for approval (\S+),/.exec(message)?.[1]
        if (asked) stop.abort('no more')
      },
    }),
  )
  for (let state = 'pending'; state !== 'cancelled'; ) {
    state = (await api('GET', `/api/approvals/${asked}`)).state
    assert.ok(['pending', 'cancelled'].includes(state))
  }
  await careful.transport.terminateSession()
  await careful.close()
})
await check('a guest', async () => {
  const { client: guest } = await connect('main', GUEST)
  const { tools } = await guest.listTools()
  assert.deepEqual(
    tools.map((each) => each.name),
    ['exec_status', 'exec_cancel', 'read_file', 'list_files'],
  )
  const result = await exec(guest, 'echo never')
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent.code, 'forbidden')
  await guest.transport.terminateSession()
  await guest.close()
})
await check('whoever may not', async () => {
  await assert.rejects(connect('main', 'hut_wrong'), /401|Unauthorized/)
  await assert.rejects(connect('main', STRANGER), /404|No such agent/)
  await assert.rejects(connect('nobody', USER), /404|No such agent/)
})
await check('other tools', async () => {
  const changed = new Promise((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, resolve),
  )
  await api('PUT', '/api/agents/main/security', {
    access: 'private',
    autonomy_level: 'readonly',
    require_approval_for: [],
  })
  console.log('do recheck')
  await changed
  assert.equal((await client.listTools()).tools.length, 4)
})
await check('the end', async () => {
  const id = transport.sessionId
  await transport.terminateSession()
  const session = await api('GET', `/api/agents/main/sessions/${id}`, undefined, USER)
  assert.equal(session.end_reason, 'requested')
  await client.close()
})
process.exit(failed ? 1 : 0)
