/** A server-sent event, without the fields that only browsers use. */
export interface ServerEvent {
  /** `message` unless the server named it. */
  name: string;
  data: string;
}

/** What is left over between two pieces of a stream. */
export interface EventState {
  /** The beginning of a line whose end has not come yet. */
  line: string;
  /** Whether the last piece ended with CR: a LF that follows belongs to it. */
  afterReturn: boolean;
  name: string;
  /** The lines of data so far, joined; undefined while there are none. */
  data: string | undefined;
}

export const beforeEvents: EventState = { line: '', afterReturn: false, name: '', data: undefined };

/** Reads the next piece of an event stream, by the WHATWG's rules; pieces may be split anywhere. */
export function parseEvents(state: EventState, text: string): { events: ServerEvent[]; state: EventState } {
  const events: ServerEvent[] = [];
  let { line, name, data } = state;
  let at = state.afterReturn && text.startsWith('\n') ? 1 : 0;
  const breaks = /\r\n?|\n/g;
  breaks.lastIndex = at;
  for (let found = breaks.exec(text); found; found = breaks.exec(text)) {
    line += text.slice(at, found.index);
    at = breaks.lastIndex;
    if (line !== '') ({ name, data } = readLine(line, name, data));
    else {
      if (data !== undefined) events.push({ name: name || 'message', data });
      name = '';
      data = undefined;
    }
    line = '';
  }
  const afterReturn = text === '' ? state.afterReturn : text.endsWith('\r');
  return { events, state: { line: line + text.slice(at), afterReturn, name, data } };
}

type Fields = Pick<EventState, 'name' | 'data'>;

function readLine(line: string, name: string, data: string | undefined): Fields {
  const colon = line.indexOf(':');
  const field = colon < 0 ? line : line.slice(0, colon);
  const start = line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1;
  const value = colon < 0 ? '' : line.slice(start);
  if (field === 'data') return { name, data: data === undefined ? value : `${data}\n${value}` };
  // A line that begins with a colon is a comment; `id` and `retry` concern reconnecting browsers.
  return field === 'event' ? { name: value, data } : { name, data };
}
