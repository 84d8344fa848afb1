import type { Box } from '../../element.ts';

/** Of a letter's stroke, in heights of the line that it belongs to. */
const longest = 1.2;
/** Where lines are not known: upright rules that meet no other are longer than this, in inches. */
const leastAlone = 1;

const across = ({ left, right }: Box) => right - left;
const down = ({ top, bottom }: Box) => bottom - top;

/** Rules without the strokes of large letters, which would be erased from a headline or from a photo of a sign. */
export function withoutLetterStrokes(rules: Box[], lines: Box[] | undefined, dotsPerInch: number): Box[] {
  if (lines) return rules.filter((rule) => !lines.some((line) => isStroke(rule, line)));
  const flat = rules.filter((rule) => across(rule) > down(rule));
  const near = 0.1 * dotsPerInch;
  const meets = (rule: Box) =>
    flat.some(
      (other) =>
        other.left < rule.right + near &&
        other.right > rule.left - near &&
        other.top < rule.bottom + near &&
        other.bottom > rule.top - near,
    );
  return rules.filter(
    (rule) => across(rule) > down(rule) || down(rule) > leastAlone * dotsPerInch || meets(rule),
  );
}

function isStroke(rule: Box, line: Box): boolean {
  const height = down(line);
  const slack = 0.1 * height;
  return (
    Math.max(across(rule), down(rule)) < longest * height &&
    rule.left > line.left - slack &&
    rule.right < line.right + slack &&
    rule.top > line.top - slack &&
    rule.bottom < line.bottom + slack
  );
}
