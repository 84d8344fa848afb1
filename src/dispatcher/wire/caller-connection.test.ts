import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RawCaller, rawPost } from '../../../test/testkit/attacks/raw-caller.ts';
import { until } from '../../../test/testkit/until.ts';
import { BodyMemory } from './body-memory.ts';
import type { Call } from './call.ts';
import type { CallerConnection } from './caller-connection.ts';
import { Lane } from './lane.ts';

const hash = (bytes: Buffer = Buffer.alloc(0)) => createHash('sha256').update(bytes).digest('hex');

describe('CallerConnection', () => {
  let serve: (call: Call) => void;
  let handedOver: Socket[];
  let passedOn: string;
  let accepted: Socket[];
  let connections: CallerConnection[];
  let lane: Lane;
  let server: Server;
  let caller: RawCaller;

  beforeEach(async () => {
    [handedOver, accepted, connections, passedOn] = [[], [], [], ''];
    serve = (call) => answer(call, Buffer.from('ok'));
    lane = new Lane(
      ({ target }) => (target === '/here' ? (call) => serve(call) : undefined),
      (socket) => {
        handedOver.push(socket);
        socket.on('data', (bytes) => {
          passedOn += bytes;
        });
      },
      new BodyMemory(2 ** 30),
    );
    server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket);
      connections.push(lane.take(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    caller = new RawCaller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await until('it is accepted', () => connections.length === 1);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    lane.close();
    caller.destroy();
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  const answer = (call: Call, body: Buffer) => {
    call.begin(200, [], body.length);
    call.write(body);
    call.end();
  };
  /** Lets it find that so many seconds have gone by. */
  const wait = (seconds: number) => connections[0]?.checkPatience(performance.now() + seconds * 1000);

  it('lets a caller be idle for as long as it said, and no longer', async () => {
    expect((await caller.send(rawPost('/here', '{}')).answer())?.headers.get('keep-alive')).toBe(
      'timeout=72',
    );
    wait(71);
    expect((await caller.send(rawPost('/here', '{}')).answer())?.status).toBe(200);
    wait(73);
    await caller.closed;
    await until('nothing is left of it', () => accepted[0]?.closed);
  });

  it.each([
    ['a head', 'POST /here HTTP/1.1\r\nhost: x', 59],
    ['a body', 'POST /here HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhe', 299],
  ])('408 for %s that does not come to its end', async (_title, beginning, limit) => {
    let gone = false;
    serve = (call) => {
      const abandon = () => {
        gone = true;
      };
      call.owner = { receive: vi.fn(), refuse: vi.fn(), resume: vi.fn(), abandon };
    };
    await caller.sendSlowly([beginning]);
    await until('it has come', () => (accepted[0]?.bytesRead ?? 0) === beginning.length);
    wait(limit);
    expect(accepted[0]?.writableEnded).toBe(false);
    wait(limit + 2);
    const refusal = await caller.answer();
    expect(refusal?.status).toBe(408);
    expect(refusal?.headers.get('connection')).toBe('close');
    expect(refusal?.headers.get('x-request-id')).toBeTruthy();
    await until('nothing is left of it', () => accepted[0]?.closed && (gone || limit === 59));
  });

  it('gives a request its whole time, however long the connection was idle before', async () => {
    serve = () => undefined;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 70_000);
    await caller.sendSlowly(['POST /here HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhe']);
    await until('it is being read', () => connections[0]?.idle === false);
    wait(299);
    expect(accepted[0]?.writableEnded).toBe(false);
  });

  it('takes little ahead of the answer that is due', async () => {
    serve = () => undefined;
    const request = rawPost('/here', Buffer.alloc(10_000));
    for (let n = 0; n < 3000; n++) caller.send(request);
    let before = -1;
    await until('it takes no more', async () => {
      const stalled = accepted[0]?.bytesRead === before && before > 0;
      before = accepted[0]?.bytesRead ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return stalled;
    });
    expect(before).toBeLessThan(1_000_000);
  });

  it('waits for an answer without end', async () => {
    let call: Call | undefined;
    serve = (taken) => {
      call = taken;
    };
    caller.send(rawPost('/here', '{}'));
    await until('it is taken', () => call);
    wait(100_000);
    answer(call as Call, Buffer.from('late'));
    expect((await caller.answer())?.body.toString()).toBe('late');
  });

  it('lets go of a caller that goes on sending after its last answer', async () => {
    caller.send('POST /here HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n');
    expect((await caller.answer())?.headers.get('connection')).toBe('close');
    await caller.closed;
    caller.send(Buffer.alloc(100_000));
    await until('it is read over', () => (accepted[0]?.bytesRead ?? 0) > 100_000);
    wait(4);
    expect(accepted[0]?.destroyed).toBe(false);
    wait(6);
    expect(accepted[0]?.destroyed).toBe(true);
  });

  it.each([
    ['its caller closes its half', () => caller.socket.end()],
    ['the server closes', () => lane.close()],
  ])('sends an answer to its end when %s', async (_title, happen) => {
    const body = randomBytes(20_000_000);
    serve = (call) => answer(call, body);
    caller.socket.pause();
    caller.send(rawPost('/here', '{}'));
    await until('it is answered', () => (accepted[0]?.writableLength ?? 0) > 0);
    happen();
    caller.socket.resume();
    expect(hash((await caller.answer())?.body)).toBe(hash(body));
    await caller.closed;
  });

  it('disconnects a caller that reads nothing of its answer', async () => {
    serve = (call) => answer(call, randomBytes(20_000_000));
    caller.socket.pause();
    caller.send(rawPost('/here', '{}'));
    await until('it is answered', () => (accepted[0]?.writableLength ?? 0) > 0);
    wait(0);
    wait(200);
    expect(accepted[0]?.destroyed).toBe(false);
    wait(400);
    expect(accepted[0]?.destroyed).toBe(true);
  });

  it('answers what was asked in advance by a caller that is slow to read', async () => {
    const body = randomBytes(20_000_000);
    serve = (call) => answer(call, body);
    caller.socket.pause();
    caller.send(rawPost('/here', '{}'), rawPost('/here', '{}'));
    await until('it is answered', () => (accepted[0]?.writableLength ?? 0) > 0);
    wait(1000);
    caller.socket.resume();
    for (let n = 0; n < 2; n++) expect(hash((await caller.answer())?.body)).toBe(hash(body));
  });

  it('hands a connection over with all that has come, and forgets it', async () => {
    const listeners = () => ['data', 'end', 'close'].map((event) => accepted[0]?.listenerCount(event));
    const before = listeners();
    caller.send(rawPost('/here', '{}'), rawPost('/elsewhere', '{}'), rawPost('/here', '{}'));
    await until('all of it is there', () => passedOn.split('{}').length === 3);
    expect(handedOver).toHaveLength(1);
    expect(passedOn).toBe(`${rawPost('/elsewhere', '{}')}${rawPost('/here', '{}')}`);
    // One is ours.
    expect(listeners()).toEqual(before.map((count, n) => (n === 0 ? count : (count ?? 0) - 1)));
    lane.close();
    lane.closeAll();
    expect(accepted[0]?.destroyed).toBe(false);
  });

  it('adds no listener for each answer', async () => {
    const count = () =>
      (accepted[0]?.eventNames() ?? []).reduce(
        (sum, event) => sum + (accepted[0]?.listenerCount(event) ?? 0),
        0,
      );
    await caller.send(rawPost('/here', '{}')).answer();
    const before = count();
    for (let n = 0; n < 30; n++) await caller.send(rawPost('/here', '{}')).answer();
    expect(count()).toBe(before);
  });
});
