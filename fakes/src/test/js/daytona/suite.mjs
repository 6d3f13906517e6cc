// Drives the fake with Daytona's own SDK. Prints `ok NAME` or `failed NAME: why` for each check; the Java test names
// them all. Takes the API's address and the key from the environment, as the SDK does.
import { Buffer } from 'node:buffer';
import { Daytona, DaytonaNotFoundError } from '@daytonaio/sdk';

const daytona = new Daytona();
let sandbox;

function equal(actual, expected) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== e) throw new Error(`got ${a} instead of ${e}`);
}

async function refused(work, status) {
  try {
    await work();
  } catch (e) {
    equal(e.statusCode, status);
    return e;
  }
  throw new Error(`was not refused with ${status}`);
}

const checks = {
  async create() {
    sandbox = await daytona.create({
      name: 'suite', snapshot: 'my-snapshot', envVars: { FOO: 'bar' }, labels: { run: '42' }, autoStopInterval: 60,
    });
    equal([sandbox.name, sandbox.state, sandbox.labels.run, sandbox.autoStopInterval], ['suite', 'started', '42', 60]);
  },
  async 'name taken'() {
    await refused(() => daytona.create({ name: 'suite' }), 409);
  },
  async 'unknown snapshot'() {
    await refused(() => daytona.create({ snapshot: 'missing-one' }), 400);
  },
  async info() {
    const again = await daytona.get(sandbox.id);
    equal([again.id, again.state, again.env.FOO], [sandbox.id, 'started', 'bar']);
    equal((await daytona.get('suite')).id, sandbox.id);
  },
  async 'not found'() {
    const e = await refused(() => daytona.get('nope'), 404);
    equal(e instanceof DaytonaNotFoundError, true);
  },
  async list() {
    const found = [];
    for await (const each of daytona.list({ labels: { run: '42' } })) found.push(each.id);
    equal(found, [sandbox.id]);
  },
  async directories() {
    equal([await sandbox.getWorkDir(), await sandbox.getUserHomeDir()], ['/home/daytona', '/home/daytona']);
  },
  async exec() {
    const done = await sandbox.process.executeCommand('echo hello; echo oops >&2; echo done');
    equal([done.exitCode, done.result], [0, 'hello\noops\ndone\n']);
  },
  async 'exit code, cwd and env'() {
    await sandbox.process.executeCommand('mkdir -p workspace');
    const done = await sandbox.process.executeCommand('pwd; echo "$FOO"; exit 3', 'workspace', { FOO: 'b"a$r' }, 30);
    equal([done.exitCode, done.result], [3, '/home/daytona/workspace\nb"a$r\n']);
  },
  async 'exec timeout'() {
    await refused(() => sandbox.process.executeCommand('echo partial; sleep 30', undefined, undefined, 1), 408);
  },
  async session() {
    await sandbox.process.createSession('sess-1');
    const done = await sandbox.process.executeSessionCommand('sess-1', {
      command: 'cd workspace && export V=1; echo out; echo err >&2; (exit 3)',
    });
    equal([done.exitCode, done.stdout, done.stderr], [3, 'out\n', 'err\n']);
    const kept = await sandbox.process.executeSessionCommand('sess-1', { command: 'pwd; echo $V' });
    equal(kept.stdout, '/home/daytona/workspace\n1\n');
  },
  async 'background with stdin'() {
    const started = await sandbox.process.executeSessionCommand('sess-1', {
      command: 'echo start; read x; echo "got $x"; echo warn >&2; printf tail', runAsync: true,
    });
    const running = await sandbox.process.getSessionCommand('sess-1', started.cmdId);
    equal(running.exitCode === undefined, true);
    let [out, err] = ['', ''];
    const followed = sandbox.process.getSessionCommandLogs(
      'sess-1', started.cmdId, (chunk) => { out += chunk; }, (chunk) => { err += chunk; });
    await sandbox.process.sendSessionCommandInput('sess-1', started.cmdId, 'yes');
    await followed;
    equal([out, err], ['start\nyes\ngot yes\ntail\n', 'warn\n']);
    const logs = await sandbox.process.getSessionCommandLogs('sess-1', started.cmdId);
    equal([logs.stdout, logs.stderr], ['start\nyes\ngot yes\ntail\n', 'warn\n']);
    equal((await sandbox.process.getSessionCommand('sess-1', started.cmdId)).exitCode, 0);
    await sandbox.process.deleteSession('sess-1');
    await refused(() => sandbox.process.getSession('sess-1'), 404);
  },
  async terminal() {
    let output = '';
    const options = { id: 'pty-1', cols: 120, rows: 30, envs: { GREETING: 'hi' }, onData: (data) => { output += Buffer.from(data).toString(); } };
    const pty = await sandbox.process.createPty(options);
    await pty.waitForConnection();
    await pty.sendInput('stty size; echo "[$GREETING]"; exit 2\n');
    const ended = await pty.wait();
    equal([ended.exitCode, output.includes('30 120'), output.includes('[hi]')], [2, true, true]);
  },
  async 'terminal resized and killed'() {
    const pty = await sandbox.process.createPty({ id: 'pty-2', onData: () => {} });
    await pty.waitForConnection();
    const info = await sandbox.process.resizePtySession('pty-2', 150, 40);
    equal([info.cols, info.rows], [150, 40]);
    equal((await sandbox.process.listPtySessions()).map((each) => each.id), ['pty-2']);
    await sandbox.process.killPtySession('pty-2');
    equal((await pty.wait()).exitCode, 137);
  },
  async files() {
    const fs = sandbox.fs;
    await fs.uploadFile(Buffer.from('hello wörld\n'), '/home/daytona/workspace/up.txt');
    equal((await fs.downloadFile('/home/daytona/workspace/up.txt')).toString(), 'hello wörld\n');
    await fs.uploadFiles([
      { source: Buffer.from([0, 255, 13, 10]), destination: 'rel/f2.bin' },
      { source: Buffer.from('alpha TODO one\nbeta\n'), destination: 'workspace/src/b.ts' },
    ]);
    equal([...(await fs.downloadFile('/home/daytona/rel/f2.bin'))], [0, 255, 13, 10]);
    const info = await fs.getFileDetails('workspace/src/b.ts');
    equal([info.name, info.size, info.isDir, info.permissions], ['b.ts', 20, false, '0644']);
    equal((await fs.listFiles('workspace')).map((each) => each.name), ['src', 'up.txt']);
    equal((await fs.findFiles('/home/daytona/workspace', 'TODO')).map((each) => each.line), [1]);
    equal((await fs.searchFiles('/home/daytona/workspace', '*.ts')).files, ['/home/daytona/workspace/src/b.ts']);
    equal((await fs.replaceInFiles(['workspace/src/b.ts'], 'beta', 'gamma'))[0].success, true);
    await fs.setFilePermissions('workspace/src/b.ts', { mode: '600' });
    equal((await fs.getFileDetails('workspace/src/b.ts')).permissions, '0600');
    await fs.createFolder('workspace/new/deep', '755');
    await fs.moveFiles('workspace/up.txt', 'workspace/new/moved.txt');
    await refused(() => fs.deleteFile('workspace/new'), 400);
    await fs.deleteFile('workspace/new', true);
    await refused(() => fs.getFileDetails('workspace/new'), 404);
    await refused(() => fs.downloadFile('/home/daytona/none.txt'), 404);
  },
  async settings() {
    await sandbox.setLabels({ team: 'core' });
    await sandbox.setAutostopInterval(0);
    await sandbox.refreshActivity();
    await sandbox.refreshData();
    equal([sandbox.labels, sandbox.autoStopInterval], [{ team: 'core' }, 0]);
  },
  async 'no pause'() {
    await refused(() => sandbox.pause(), 422);
  },
  async stop() {
    await sandbox.stop();
    equal(sandbox.state, 'stopped');
    await refused(() => sandbox.process.executeCommand('true'), 400);
  },
  async start() {
    await sandbox.start();
    equal((await sandbox.process.executeCommand('cat rel/f2.bin | wc -c')).result, '4\n');
  },
  async 'archive and start'() {
    await sandbox.stop();
    await sandbox.archive();
    while ((await daytona.get(sandbox.id)).state !== 'archived') await new Promise((resolve) => setTimeout(resolve, 50));
    await sandbox.start();
    equal(sandbox.state, 'started');
  },
  async delete() {
    await sandbox.delete(60, true);
    await refused(() => daytona.get('suite'), 404);
    const e = await refused(() => sandbox.process.executeCommand('true'), 401);
    equal(e.statusCode, 401);
  },
};

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (e) {
    console.log(`failed ${name}: ${e.message.replaceAll('\n', ' ')}`);
  }
}
process.exit(0);
