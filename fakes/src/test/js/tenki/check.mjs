// Tenki's own SDK against the fake: one line for each check, `ok NAME` or `failed NAME: why`.
// Started with TENKI_API_ENDPOINT, TENKI_AUTH_TOKEN and CONTROLS (the fake's own controls) in its environment.
import assert from "node:assert/strict";
import { TenkiSandbox } from "@tenkicloud/sandbox";

const controls = process.env.CONTROLS;
const text = (bytes) => new TextDecoder().decode(bytes);
const streamOf = (...pieces) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
const all = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(...piece);
  return new Uint8Array(pieces);
};
const control = async (path, body) => {
  const answer = await fetch(controls + path, { method: "POST", body: JSON.stringify(body ?? {}) });
  assert.equal(answer.status, 204, path);
};
const fault = (operation, kind, more) => control("/_fake/faults", { operation, kind, ...more });

const sandbox = new TenkiSandbox();
let session;

const checks = {
  async "who am I"() {
    const me = await sandbox.whoAmI();
    assert.equal(me.workspaces.length, 1);
  },
  async "create waits until it runs"() {
    session = await sandbox.create({ name: "check", metadata: { purpose: "check" }, tags: ["check"], env: { GIVEN: "1" } });
    assert.equal(session.state, "RUNNING");
  },
  async "a key that is wrong"() {
    const other = new TenkiSandbox({ authToken: "tk_wrong" });
    await assert.rejects(other.whoAmI(), { name: "UnauthorizedError" });
    other.close();
  },
  async "get"() {
    const same = await sandbox.get(session.id);
    assert.equal(same.name, "check");
    assert.deepEqual(same.metadata, { purpose: "check" });
    assert.equal(text((await same.run(["echo", "again"])).stdout), "again\n");
  },
  async "get of one that is not there"() {
    await assert.rejects(sandbox.get("0190a000-0000-7000-8000-00000000dead"), { name: "SessionNotFoundError" });
    await assert.rejects(sandbox.get("no-uuid"));
  },
  async "list by tag"() {
    const ids = (await sandbox.list({ tags: ["check"] })).map((each) => each.id);
    assert.deepEqual(ids, [session.id]);
    assert.deepEqual(await sandbox.list({ tags: ["other"] }), []);
  },
  async "usage"() {
    const usage = await sandbox.getUsage();
    assert.equal(usage.find((each) => each.key === "active_sessions").current, 1);
  },
  async "update"() {
    await session.update({ name: "renamed", tags: ["check", "more"] });
    assert.equal((await sandbox.get(session.id)).name, "renamed");
  },
  async "extend"() {
    const before = session.timeoutAt.getTime();
    await session.extend(600_500);
    assert.equal(session.timeoutAt.getTime() - before, 600_500);
  },
  async "run with an exit code and two streams"() {
    const result = await session.run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
    assert.equal(result.exitCode, 3);
    assert.equal(text(result.stdout), "out\n");
    assert.equal(text(result.stderr), "err\n");
    assert.equal(result.reason, "exit");
  },
  async "run as the user, in its home"() {
    const result = await session.run(["sh", "-c", "id -un; pwd; echo $GIVEN"]);
    assert.equal(text(result.stdout), "tenki\n/home/tenki\n1\n");
  },
  async "run as root, elsewhere, with an environment"() {
    const result = await session.run(["sh", "-c", "id -u; pwd; echo $OWN"], { privileged: true, cwd: "/etc", env: { OWN: "2" } });
    assert.equal(text(result.stdout), "0\n/etc\n2\n");
  },
  async "run with stdin"() {
    const result = await session.run(["cat"], { stdin: streamOf("one ", "two") });
    assert.equal(text(result.stdout), "one two");
  },
  async "run with 5 MB of stdin and output"() {
    const piece = new Uint8Array(1_000_000).fill(120);
    const result = await session.run(["cat"], { stdin: streamOf(piece, piece, piece, piece, piece) });
    assert.equal(result.stdout.length, 5_000_000);
  },
  async "exec"() {
    const result = await session.exec("sh", { args: ["-c", "echo hello; exit 4"] });
    assert.equal(result.exitCode, 4);
    assert.equal(text(result.stdout), "hello\n");
  },
  async "run of a program that is not there"() {
    const result = await session.run(["no-such-program"]);
    assert.equal(result.exitCode, 127);
    assert.equal(result.errno, 2);
  },
  async "run in a directory that is not there"() {
    const result = await session.run(["true"], { cwd: "nowhere" });
    assert.notEqual(result.exitCode, 0);
    assert.equal(result.errno, 2);
  },
  async "kill"() {
    const handle = session.run(["sleep", "60"]);
    assert.ok((await handle.pid) > 0);
    await handle.kill();
    const result = await handle;
    assert.equal(result.exitCode, -1);
    assert.equal(result.signal, "killed");
  },
  async "a signal that is trapped"() {
    const handle = session.run(["sh", "-c", "trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.1; done"]);
    const reader = handle.stdout.getReader();
    assert.equal(text((await reader.read()).value), "ready\n");
    await handle.signal("SIGTERM");
    assert.equal(text((await reader.read()).value), "caught\n");
    reader.releaseLock();
    assert.equal((await handle).exitCode, 5);
  },
  async "in the background"() {
    const result = await session.run(["sh", "-c", "setsid sh -c 'sleep 1; echo late > late' </dev/null >/dev/null 2>&1 & echo started"]);
    assert.equal(text(result.stdout), "started\n");
    const end = Date.now() + 20_000;
    for (;;) {
      try {
        assert.equal(text(await session.readFile("/home/tenki/late")), "late\n");
        break;
      } catch (e) {
        if (Date.now() > end) throw e;
      }
    }
  },
  async "an expired credential is renewed"() {
    await control(`/_fake/machines/${session.id}/revoke`);
    assert.equal(text((await session.run(["echo", "renewed"])).stdout), "renewed\n");
  },
  async "a stream that is refused"() {
    await fault("Run", "special", { name: "refused_stream", times: 2 });
    assert.equal(text((await session.run(["echo", "third"])).stdout), "third\n");
  },
  async "an edge that is not ready"() {
    await fault("edge", "answer", { status: 404, times: 3 });
    assert.equal(text((await session.run(["echo", "ready"])).stdout), "ready\n");
  },
  async "files are written and read"() {
    await session.writeFile("/home/tenki/a.txt", "hello");
    assert.equal(text(await session.readFile("/home/tenki/a.txt")), "hello");
    await session.writeFile("relative.txt", "there");
    assert.equal(text(await session.readFile("/home/tenki/relative.txt")), "there");
  },
  async "files are streamed"() {
    await session.fs.writeStream("/home/tenki/b.bin", streamOf(new Uint8Array([1, 2, 3]), new Uint8Array([4, 5])), { mode: 0o600 });
    assert.deepEqual([...(await all(await session.fs.readStream("/home/tenki/b.bin")))], [1, 2, 3, 4, 5]);
    assert.deepEqual([...(await all(await session.fs.readStream("/home/tenki/b.bin", { offset: 1, length: 3 })))], [2, 3, 4]);
    assert.equal((await session.fs.stat("/home/tenki/b.bin")).mode & 0o777, 0o600);
  },
  async "a file that is not there"() {
    await assert.rejects(session.readFile("/home/tenki/none"), { name: "FileNotFoundError" });
    await assert.rejects(session.fs.stat("/home/tenki/none"), { name: "FileNotFoundError" });
  },
  async "a file outside of the home"() {
    await assert.rejects(session.writeFile("/tmp/a", "x"), { name: "PermissionDeniedError" });
  },
  async "a file without its directory"() {
    await assert.rejects(session.writeFile("/home/tenki/no/dir", "x"), { name: "FileNotFoundError" });
  },
  async "directories"() {
    await session.fs.mkdir("/home/tenki/d/e");
    await session.writeFile("/home/tenki/d/f", "x");
    await session.writeFile("/home/tenki/d/.hidden", "x");
    assert.deepEqual((await session.fs.list("/home/tenki/d")).map((each) => each.path.split("/").pop()).sort(), ["e", "f"]);
    assert.equal((await session.fs.list("/home/tenki/d", { includeHidden: true })).length, 3);
    assert.equal((await session.fs.stat("/home/tenki/d")).isDir, true);
    await session.fs.remove("/home/tenki/d");
    await assert.rejects(session.fs.stat("/home/tenki/d"));
  },
  async "pause and resume"() {
    await session.run(["sh", "-c", "setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $! > pid; echo x > /tmp/x"]);
    await session.pause();
    assert.equal(session.state, "PAUSED");
    await assert.rejects(async () => session.run(["true"]));
    await session.resume();
    await session.waitResumed();
    assert.equal(session.state, "RUNNING");
    assert.equal((await session.run(["sh", "-c", "kill -0 $(cat pid)"])).exitCode, 0);
    assert.equal((await session.run(["test", "-e", "/tmp/x"])).exitCode, 1);
  },
  async "a resume that fails"() {
    await session.pause();
    await fault("restore", "special", { name: "falls_back" });
    await session.resume();
    await assert.rejects(session.waitResumed(), { name: "ResumeFailedError" });
    await session.resume();
    await session.waitResumed();
  },
  async "shut down from inside and started again"() {
    await control(`/_fake/machines/${session.id}/shutdown`);
    await session.refresh();
    assert.equal(session.state, "USER_SHUTDOWN");
    await session.resume();
    await session.waitResumed();
    assert.equal(text(await session.readFile("/home/tenki/a.txt")), "hello");
  },
  async "a create that fails"() {
    await fault("start", "special", { name: "fails" });
    await assert.rejects(sandbox.create(), /provisioning failed/);
  },
  async "close"() {
    await session.close();
    await session.refresh();
    assert.equal(session.state, "TERMINATED");
    assert.deepEqual(await sandbox.list({ tags: ["check"] }), []);
    await assert.rejects(async () => session.run(["true"]), { name: "SessionTerminatedError" });
  },
};

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (e) {
    console.log(`failed ${name}: ${e.name}: ${e.message.split("\n").join(" ")}`);
  }
}
sandbox.close();
process.exit(0);
