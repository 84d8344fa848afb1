import { Unreadable } from '../unreadable.ts';

/** What a page may have. Larger ones are not rendered. */
export const most = {
  /** Elements and pieces of text. */
  nodes: 200_000,
  characters: 2_000_000,
  columns: 50,
  pages: 500,
  /** Of processor time. */
  milliseconds: 20_000,
  pictures: 40,
  pictureBytes: 5 * 2 ** 20,
};

/** Hebrew, Arabic and their like: readers would find the letters in another order. */
const fromRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What is left of the limits: a page may be small and still take long. */
export interface Budget {
  /** Throws when the time is up. Cheap: it looks at the clock now and then. */
  check(): void;
  /** Looks at the clock each time. */
  look(): void;
  /** Counts text. Throws when there is too much, and for scripts that can't be set. */
  spend(text: string): void;
}

/** Processor time, since the machine may be busy with other things. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function startBudget(now: () => number = processorTime): Budget {
  const end = now() + most.milliseconds;
  let calls = 0;
  let spent = 0;
  const look = () => {
    if (now() > end)
      throw new Unreadable('too slow', `Rendering takes more than ${most.milliseconds / 1000} seconds.`);
  };
  return {
    check() {
      calls++;
      if (calls % 64 === 0) look();
    },
    look,
    spend(text) {
      spent += text.length;
      if (spent > most.characters) throw tooMany('characters');
      if (fromRightToLeft.test(text))
        throw new Unreadable('unsupported', 'It has text that runs from right to left.');
    },
  };
}

export function tooMany(what: keyof typeof most): Unreadable {
  return new Unreadable('too large', `It has more than ${most[what].toLocaleString('en-US')} ${what}.`);
}
