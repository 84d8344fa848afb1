/** What workers can do, by name. Items are streamed to the pool; the returned value comes at the end. */
export type Tasks = ReadonlyMap<string, Task>;

export type Task = (input: never) => AsyncGenerator<unknown, unknown>;
