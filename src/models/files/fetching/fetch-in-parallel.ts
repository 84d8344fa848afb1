import { abandon } from '../http/close-answer.ts';
import type { HttpAnswer } from '../http/open-address.ts';
import { patiently } from '../http/patience.ts';
import { DirectConnection } from './direct-connection.ts';
import { fetchSegment } from './fetch-segment.ts';
import { type Pace, usualPace } from './pace.ts';
import type { PartialFile } from './partial-file.ts';
import { extentOf, type RemoteReader } from './remote-file.ts';
import type { Segment } from './segments.ts';

interface ParallelOptions {
  signal: AbortSignal;
  connections?: number;
  pace?: Pace;
}

type SegmentOptions = Parameters<typeof fetchSegment>[3];

const usualConnections = 8;
const rampEvery = 250;
/** Bytes per second. */
const fastEnough = 150e6;
/** Bytes per read: data that arrives no faster than it is read comes in smaller reads. */
const backlog = 2 ** 17;

/**
 * Fetches the missing segments; `opening` is an answer with the beginning of one of them. Every quarter second another
 * connection joins, unless the open ones are fast enough or deliver more than is read: then more connections would only
 * add to what has to be fetched again after a kill.
 */
export async function fetchInParallel(
  reader: RemoteReader,
  file: PartialFile,
  opening: HttpAnswer | undefined,
  { connections = usualConnections, pace = usualPace, ...options }: ParallelOptions,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let reads = 0;
  let read = 0;
  const onRead = (count: number) => {
    reads++;
    read += count;
  };
  const waiting = file.log.missing;
  const work = async (answer?: HttpAnswer) => {
    const connection = new DirectConnection();
    try {
      for (let segment = waiting.shift(); segment; segment = waiting.shift()) {
        await fetchWhole(reader, segment, file, { connection, pace, signal, onRead, answer });
        answer = undefined;
      }
    } finally {
      connection.close();
    }
  };
  const working: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const join = (answer?: HttpAnswer) => {
    working.push(
      work(answer).catch((error) => {
        failures.push(error);
        stop.abort();
      }),
    );
  };
  join(usable(opening, waiting[0]));
  const ramp = setInterval(() => {
    const enough = read * (1000 / rampEvery) > fastEnough || read / reads > backlog;
    reads = 0;
    read = 0;
    if (!enough && waiting.length > 0 && working.length < connections) join();
  }, rampEvery);
  try {
    for (let at = 0; at < working.length; at++) await working[at];
  } finally {
    clearInterval(ramp);
  }
  options.signal.throwIfAborted();
  // The first failure stopped the others, whose own errors only say that.
  if (failures.length > 0) throw failures[0];
}

/** An opening answer begins the file; of a file that is here in part, another segment may be missing first. */
function usable(answer: HttpAnswer | undefined, segment: Segment | undefined): HttpAnswer | undefined {
  if (!answer || !segment) return undefined;
  const { first } = extentOf(answer);
  if (first >= segment.start && first <= segment.start + segment.done) return answer;
  abandon(answer);
  return undefined;
}

/** Continues as long as tries make progress; several in a row without any end it. */
async function fetchWhole(
  reader: RemoteReader,
  segment: Segment,
  file: PartialFile,
  options: SegmentOptions,
): Promise<void> {
  let { answer } = options;
  let before = segment.done;
  const progressed = () => {
    const moved = segment.done > before;
    before = segment.done;
    return moved;
  };
  const attempt = () => {
    const opened = answer;
    answer = undefined;
    return fetchSegment(reader, segment, file, { ...options, answer: opened });
  };
  await patiently(options.signal, attempt, { progressed });
}
