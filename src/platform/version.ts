import manifest from '../../package.json' with { type: 'json' };

/** The program's version, from package.json. */
export const programVersion: string = manifest.version;
