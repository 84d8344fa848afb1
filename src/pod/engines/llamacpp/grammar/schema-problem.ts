import { BadRequest } from '../../../../contracts/problems.ts';

/** Longer texts are truncated, because they contain names from the request. */
const maxLength = 200;

export function schemaProblem(where: string, reason: string): BadRequest {
  const place = where.length > maxLength ? `${where.slice(0, maxLength)}…` : where;
  const shortReason = reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason;
  return new BadRequest(`The JSON schema can't be used: ${place} ${shortReason}.`, {
    code: 'invalid_json_schema',
    param: 'response_format',
  });
}
