import type { InferencePath } from '../contracts/inference-endpoints.ts';
import type { InferenceSurface } from '../contracts/surfaces.ts';
import { type Aliases, withAliases } from '../platform/inference/aliases.ts';
import type { InferenceFront } from '../platform/inference/inference-front.ts';
import type { Gate } from './calls/admission/gate.ts';
import type { Surface } from './calls/admission/surface.ts';
import type { Front } from './calls/front.ts';

interface SurfaceDependencies {
  /** Names that work on every surface that offers the model behind them. */
  aliases: Aliases;
  front: Front;
  gateOf(surface: InferenceSurface): Gate;
  /** Called for every surface that is new or has changed. */
  changed(surface: InferenceSurface): void;
  removed(prefix: string): void;
}

/** The surfaces that the dispatcher serves: its own, and those that other parts add. */
export class ServedSurfaces implements Pick<InferenceFront, 'addSurface'> {
  readonly #deps: SurfaceDependencies;
  readonly #known = new Map<string, InferenceSurface>();

  constructor(deps: SurfaceDependencies) {
    this.#deps = deps;
  }

  get all(): ReadonlyMap<string, InferenceSurface> {
    return this.#known;
  }

  addSurface(settings: InferenceSurface) {
    const { front, gateOf } = this.#deps;
    const named = (own: InferenceSurface['aliases']) => withAliases(own, this.#deps.aliases);
    const surface: Surface = { ...settings, aliases: named(settings.aliases), gate: gateOf(settings) };
    front.add(surface);
    const publish = () => {
      const { gate: _gate, ...plain } = surface;
      this.#known.set(plain.prefix, plain);
      this.#deps.changed(plain);
    };
    publish();
    const remove = () => {
      front.remove(settings.prefix);
      this.#known.delete(settings.prefix);
      this.#deps.removed(settings.prefix);
    };
    return {
      remove,
      rename({ aliases, only }: Pick<InferenceSurface, 'aliases' | 'only'>): void {
        Object.assign(surface, { aliases: named(aliases), only });
        publish();
      },
      answer(
        request: Parameters<Front['take']>[0],
        response: Parameters<Front['take']>[1],
        path: InferencePath,
      ) {
        front.take(request, response, settings.prefix + path);
      },
    };
  }
}
