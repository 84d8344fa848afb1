import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../contracts/problems.ts';
import { inWords } from './refusal.ts';

const issue = (field: string, msg: string) => ({ loc: ['body', field], msg, type: 'value_error' });

describe('inWords', () => {
  test('says options instead of fields, whichever shape the error has', () => {
    const issues = [
      issue('expires_at', 'Value error, must be in the future'),
      issue('user_story', 'Field required'),
    ];
    expect(inWords(issues, 422)).toBe('--expires: must be in the future; --user-story: is required');
    expect(inWords(new InvalidInput(issues.slice(0, 1)).message, 422)).toBe(
      '--expires: must be in the future',
    );
    const question = new InvalidInput([issue('question', 'Value error, must not be empty')]);
    expect(inWords(question.message, 422)).toBe('the question: must not be empty');
    expect(inWords("bot 'x' was not found", 404)).toBe("bot 'x' was not found");
  });
});
