import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { BadRequest, OutOfSpace, Problem, Unavailable } from '../../contracts/problems.ts';

const away = 'database_unavailable';

/** Whether something failed because the database could not be reached. It may work later, unchanged. */
export const isDatabaseAway = (error: unknown): boolean => error instanceof Problem && error.code === away;

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Shutting down, crashed, starting up, too many connections, and class 08: connection exceptions. */
const serverCodes = /^(57P01|57P02|57P03|53300|08...)$/;
/** What the client library says without a code. */
const connectionMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/;

/** What an error of the database means to callers. Other errors stay as they are. */
export function databaseProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (networkCodes.has(code) || serverCodes.test(code) || connectionMessages.test(error.message)) {
    return new Unavailable("the database can't be reached", { code: away, retryAfter: 5, cause: error });
  }
  if (code === 'SQLITE_FULL' || code === '53100' || code === 'ENOSPC') {
    return new OutOfSpace("the database's disk is full", { cause: error });
  }
  // PostgreSQL's text can't contain it. Nothing else of what we send has an encoding that it refuses.
  if (code === '22021' || code === '22P05') {
    return new BadRequest('text with a null character can be neither stored nor found', { cause: error });
  }
  return error;
}

/** The dialect with every error of its driver translated by `databaseProblem`. */
export function withProblems(dialect: Dialect): Dialect {
  return {
    createDriver: () => translated(dialect.createDriver()),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  };
}

function translated(driver: Driver): Driver {
  const seen = new WeakSet<DatabaseConnection>();
  return {
    init: (options) => driver.init(options).catch(rethrow),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options).catch(rethrow);
      if (!seen.has(connection)) {
        seen.add(connection);
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = (query, settings) => execute(query, settings).catch(rethrow) as never;
      }
      return connection;
    },
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings).catch(rethrow),
    commitTransaction: (connection) => driver.commitTransaction(connection).catch(rethrow),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection).catch(rethrow),
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    destroy: (options) => driver.destroy(options),
  };
}

function rethrow(error: unknown): never {
  throw databaseProblem(error);
}
