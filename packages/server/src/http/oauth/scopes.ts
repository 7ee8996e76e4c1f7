import { describeScope, scopes, signInScopes } from '@kontor/contract'

/** All scopes that are told of; a scope of records may also name an object. */
export const knownScopes: readonly string[] = [...Object.keys(signInScopes), ...scopes]

/** A list of scopes as the protocol writes it, without those that mean nothing here (OpenID Connect Core §3.1.2.1). */
export const readScopes = (text: unknown): string[] => (typeof text === 'string' ? [...new Set(text.split(' '))].filter((scope) => describeScope(scope) !== undefined) : [])
