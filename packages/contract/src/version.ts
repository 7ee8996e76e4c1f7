import manifest from '@kontor/contract/package.json' with { type: 'json' }

/** The version of Kontor, the same for all of its packages: in documents, in `GET /v1` and on the command line. */
export const version: string = manifest.version
