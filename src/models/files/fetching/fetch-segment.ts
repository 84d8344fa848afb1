import { UpstreamFailed } from '../../../contracts/problems.ts';
import { abandon } from '../http/close-answer.ts';
import type { HttpAnswer } from '../http/open-address.ts';
import type { DirectConnection } from './direct-connection.ts';
import { atPace, type Pace } from './pace.ts';
import type { PartialFile } from './partial-file.ts';
import { pour } from './pour.ts';
import { extentOf, type RemoteReader } from './remote-file.ts';
import type { Segment } from './segments.ts';

/** A part smaller than this is not worth a connection of its own. */
const worthAConnection = 2 ** 18;

interface SegmentOptions {
  connection: DirectConnection;
  pace: Pace;
  signal: AbortSignal;
  /** Called with the bytes that one read of a connection brought. */
  onRead(count: number): void;
  /** An answer that is open already and begins in this segment. */
  answer?: HttpAnswer | undefined;
}

/** Fetches what is missing of one segment. What has arrived before a failure is on disk and counted. */
export async function fetchSegment(
  reader: RemoteReader,
  segment: Segment,
  file: PartialFile,
  { connection, pace, signal, onRead, answer }: SegmentOptions,
): Promise<void> {
  await atPace(pace, signal, async (watched) => {
    const onArrival = (count: number) => {
      watched.onArrival(count);
      onRead(count);
    };
    const options = { signal: watched.signal, onArrival };
    if (!answer && (await fetchDirectly(reader, segment, file, connection, options))) return;
    await pour(answer ?? (await openSegment(reader, segment, watched.signal)), [segment], file, options);
  });
}

async function fetchDirectly(
  reader: RemoteReader,
  segment: Segment,
  file: PartialFile,
  connection: DirectConnection,
  watched: { signal: AbortSignal; onArrival(count: number): void },
): Promise<boolean> {
  const { direct } = reader;
  if (!direct || segment.length - segment.done < worthAConnection) return false;
  return connection.read({
    ...direct,
    ...watched,
    first: segment.start + segment.done,
    last: segment.start + segment.length - 1,
    write: (position, bytes) => file.write(segment, position, bytes),
  });
}

/** Asks for what is missing of a segment. */
export async function openSegment(
  reader: RemoteReader,
  segment: Segment,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const missing = segment.start + segment.done;
  const answer = await reader.open(missing, segment.start + segment.length - 1, signal);
  const { first } = extentOf(answer);
  if (first === missing || answer.status === 200) return answer;
  abandon(answer);
  throw new UpstreamFailed(`${new URL(answer.url).host} sent bytes from ${first} instead of from ${missing}`);
}
