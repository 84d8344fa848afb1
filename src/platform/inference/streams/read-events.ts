import { UpstreamFailed } from '../../../contracts/problems.ts';
import { beforeEvents, parseEvents, type ServerEvent } from './parse-events.ts';

/** In characters. No event of a model is near it; without a limit a stream of one endless line would fill the memory. */
const longestEvent = 16 * 1024 * 1024;

/** The events of a stream as they come. An event that is not complete at the end of the stream is dropped. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let state = beforeEvents;
  for await (const piece of bytes) {
    const read = parseEvents(state, decoder.decode(piece, { stream: true }));
    state = read.state;
    yield* read.events;
    if (state.line.length + (state.data?.length ?? 0) > longestEvent) {
      throw new UpstreamFailed('an event of the answer is too long to be read');
    }
  }
}
