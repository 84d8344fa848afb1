import { BadRequest } from '../../../../contracts/problems.ts';

export function schemaProblem(where: string, reason: string): BadRequest {
  return new BadRequest(`The JSON schema can't be used: ${where} ${reason}.`, {
    code: 'invalid_json_schema',
    param: 'response_format',
  });
}
