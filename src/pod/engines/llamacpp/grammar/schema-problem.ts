import { BadRequest } from '../../../../contracts/problems.ts';

/** Longer places in a schema are cut: their names come from the request. */
const longestPlace = 200;

export function schemaProblem(where: string, reason: string): BadRequest {
  const place = where.length > longestPlace ? `${where.slice(0, longestPlace)}…` : where;
  const said = reason.length > longestPlace ? `${reason.slice(0, longestPlace)}…` : reason;
  return new BadRequest(`The JSON schema can't be used: ${place} ${said}.`, {
    code: 'invalid_json_schema',
    param: 'response_format',
  });
}
