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

/** Looks at the clock now and then, since a page may be small and still take long. */
export interface Budget {
  /** Throws when the time is up. Cheap: it looks at the clock now and then. */
  check(): void;
  /** Looks at the clock each time. */
  look(): void;
  /** Counts text. Throws when there is too much. */
  spend(characters: number): void;
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
    spend(characters) {
      spent += characters;
      if (spent > most.characters) throw tooMany('characters');
    },
  };
}

export function tooMany(what: keyof typeof most): Unreadable {
  return new Unreadable('too large', `It has more than ${most[what].toLocaleString('en-US')} ${what}.`);
}
