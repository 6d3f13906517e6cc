// The official SDK against the fake. Prints `ok NAME` for each check that holds, `not ok NAME: why` for one that does not.
import assert from 'node:assert/strict'
import { CommandExitError, FileType, Sandbox, TimeoutError } from 'e2b'

const url = process.env.FAKE_URL
const options = { apiKey: process.env.FAKE_KEY, apiUrl: url, sandboxUrl: url }
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

let sandbox
await check('create', async () => {
  sandbox = await Sandbox.create('base', {
    ...options,
    timeoutMs: 600_000,
    metadata: { purpose: 'a check', 'owner name': 'a b&c' },
    envs: { FROM_CREATE: 'yes' },
    lifecycle: { onTimeout: 'pause' },
  })
  assert.match(sandbox.sandboxId, /^i[a-z0-9]{20}$/)
})
await check('running', async () => assert.equal(await sandbox.isRunning(), true))
await check('info', async () => {
  const info = await sandbox.getInfo()
  assert.equal(info.sandboxId, sandbox.sandboxId)
  assert.equal(info.state, 'running')
  assert.equal(info.metadata.purpose, 'a check')
  assert.ok(info.endAt > info.startedAt)
})
await check('list', async () => {
  const of = async (metadata) => (await Sandbox.list({ ...options, query: { metadata } }).nextItems()).map((each) => each.sandboxId)
  assert.deepEqual(await of({ 'owner name': 'a b&c' }), [sandbox.sandboxId])
  assert.deepEqual(await of({ 'owner name': 'somebody else' }), [])
})
await check('exec', async () => {
  const result = await sandbox.commands.run('echo out; echo err >&2; echo $FROM_CREATE $MORE; pwd', { envs: { MORE: 'm' }, cwd: '/tmp' })
  assert.equal(result.exitCode, 0)
  assert.equal(result.stdout, 'out\nyes m\n/tmp\n')
  assert.equal(result.stderr, 'err\n')
})
await check('exit code', async () => {
  await assert.rejects(sandbox.commands.run('echo partial; exit 3'), (error) => {
    assert.ok(error instanceof CommandExitError)
    assert.equal(error.exitCode, 3)
    assert.equal(error.stdout, 'partial\n')
    return true
  })
})
await check('user', async () => {
  assert.equal((await sandbox.commands.run('id -un')).stdout, 'user\n')
  assert.equal((await sandbox.commands.run('id -un', { user: 'root' })).stdout, 'root\n')
})
await check('stdin', async () => {
  const handle = await sandbox.commands.run('cat; echo done', { background: true, stdin: true })
  await sandbox.commands.sendStdin(handle.pid, 'hello\n')
  await sandbox.commands.closeStdin(handle.pid)
  assert.equal((await handle.wait()).stdout, 'hello\ndone\n')
})
await check('timeout', async () => {
  await assert.rejects(sandbox.commands.run('sleep 60', { timeoutMs: 1_500 }), TimeoutError)
})
await check('background', async () => {
  const handle = await sandbox.commands.run('sleep 301', { background: true, timeoutMs: 0 })
  assert.ok((await sandbox.commands.list()).some((each) => each.pid === handle.pid))
  assert.equal(await sandbox.commands.kill(handle.pid), true)
  await assert.rejects(handle.wait(), CommandExitError)
  assert.equal(await sandbox.commands.kill(999_999), false)
})
await check('attach', async () => {
  const handle = await sandbox.commands.run('read x; echo got $x; exit 0', { background: true, stdin: true })
  await handle.disconnect()
  const again = await sandbox.commands.connect(handle.pid)
  await sandbox.commands.sendStdin(handle.pid, 'it\n')
  assert.equal((await again.wait()).stdout, 'got it\n')
})
await check('files', async () => {
  await sandbox.files.write('dir/a.txt', 'hello ü')
  assert.equal(await sandbox.files.read('dir/a.txt'), 'hello ü')
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256)
  await sandbox.files.write('/tmp/b.bin', bytes.buffer, { user: 'root' })
  assert.deepEqual(await sandbox.files.read('/tmp/b.bin', { format: 'bytes' }), bytes)
  assert.equal((await sandbox.commands.run('stat -c %U /tmp/b.bin')).stdout, 'root\n')
})
await check('file system', async () => {
  assert.equal(await sandbox.files.makeDir('new/inner'), true)
  assert.equal(await sandbox.files.makeDir('new/inner'), false)
  assert.equal((await sandbox.files.getInfo('dir/a.txt')).size, 8)
  await sandbox.files.rename('dir/a.txt', 'new/b.txt')
  assert.equal(await sandbox.files.exists('dir/a.txt'), false)
  const names = (await sandbox.files.list('new')).map((each) => `${each.type} ${each.name}`)
  assert.deepEqual(names, [`${FileType.FILE} b.txt`, `${FileType.DIR} inner`])
  await sandbox.files.remove('new')
  assert.equal(await sandbox.files.exists('new'), false)
})
await check('set timeout', async () => {
  await sandbox.setTimeout(1_200_000)
  const { endAt } = await sandbox.getInfo()
  assert.ok(endAt - Date.now() > 900_000)
})
await check('pause', async () => {
  await sandbox.commands.run('echo kept >~/kept')
  await sandbox.pause()
  assert.equal((await sandbox.getInfo()).state, 'paused')
  assert.equal(await sandbox.isRunning(), false)
  await assert.rejects(sandbox.commands.run('true'))
})
await check('resume', async () => {
  const again = await Sandbox.connect(sandbox.sandboxId, { ...options, timeoutMs: 300_000 })
  assert.equal(again.sandboxId, sandbox.sandboxId)
  assert.equal((await again.commands.run('cat ~/kept')).stdout, 'kept\n')
})
await check('kill', async () => {
  assert.equal(await sandbox.kill(), true)
  assert.equal(await Sandbox.kill(sandbox.sandboxId, options), false)
})
await check('wrong key', async () => {
  await assert.rejects(Sandbox.create('base', { ...options, apiKey: 'e2b_' + '1'.repeat(40) }))
})
process.exit(failed ? 1 : 0)
