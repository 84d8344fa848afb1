import { existsSync, readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';

export interface ConfigFile {
  content: Record<string, unknown>;
  /** The location of a key, such as `roundhouse.yaml line 3`. */
  place(path: string[]): string;
  /** Why the file could not be read; empty if it could. */
  errors: string[];
}

/** Reads a YAML file of settings; `name` is how messages refer to it. */
export function readConfigFile(path: string, name: string, mustExist: boolean): ConfigFile {
  const unread = (errors: string[]): ConfigFile => ({ content: {}, place: () => 'default', errors });
  if (!existsSync(path)) return unread(mustExist ? ['no such file'] : []);

  const lines = new LineCounter();
  let document: ReturnType<typeof parseDocument>;
  try {
    document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines });
  } catch (error) {
    return unread([(error as Error).message]);
  }
  if (document.errors.length > 0) return unread(document.errors.map((error) => error.message.trimEnd()));

  const content: unknown = document.toJS() ?? {};
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return unread(['expected keys and values, such as "port: 5500"']);
  }
  const place = (keys: string[]) => {
    const node = document.getIn(keys, true) as { range?: [number, number, number] } | undefined;
    return node?.range ? `${name} line ${lines.linePos(node.range[0]).line}` : name;
  };
  return { content: content as Record<string, unknown>, place, errors: [] };
}
