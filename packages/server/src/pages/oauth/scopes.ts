import {
  defaultAppScopes,
  describeScope,
  isAppScope,
  namedScopes,
  personalScopes,
  scopes,
  signInScopes,
} from '@kontor/contract'
import type { OAuthClient } from './services.ts'

/** All scopes that are told of; a scope of records may also name an object. */
export const knownScopes: readonly string[] = [...Object.keys(signInScopes), ...scopes, ...personalScopes]

/** A list of scopes as the protocol writes it, without those that mean nothing here (OpenID Connect Core §3.1.2.1). */
export const readScopes = (text: unknown): string[] =>
  typeof text === 'string' ? words(text).filter((scope) => describeScope(scope) !== undefined) : []

export const words = (text: string): string[] => [...new Set(text.split(' '))].filter((word) => word !== '')

/** Returns the scopes that an app may request: the registered ones, or all but those that a registration must name. */
const allowedScopes = ({ scopes: registered }: Pick<OAuthClient, 'scopes'>): readonly string[] =>
  registered ?? defaultAppScopes

/** Returns whether a scope lies within what an app may ask for: `records:read:person` within `records:read`. */
const isAllowed = (scope: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => scope === one || scope.startsWith(`${one}:`))

const isForbidden = (scope: string, client: Pick<OAuthClient, 'scopes'>): boolean =>
  isAppScope(scope) && !isAllowed(scope, allowedScopes(client))

/** The first of some scopes that an app was not registered for. */
export const forbiddenScope = (asked: readonly string[], client: Pick<OAuthClient, 'scopes'>): string | undefined =>
  asked.find((scope) => isForbidden(scope, client))

/** Some scopes without those that an app may not have, such as one of a refresh token from before. */
export const permittedScopes = (given: readonly string[], client: Pick<OAuthClient, 'scopes'>): string[] =>
  given.filter((scope) => !isForbidden(scope, client))

/**
 * Returns the scopes of a request. One that names only sign-in, as the specification's apps do (§5.4), requests all
 * scopes that it was registered for; where a word is unknown it may have meant something, and gets no more than it
 * named.
 */
export function askedScopes(text: string, client: Pick<OAuthClient, 'scopes'>): string[] {
  const asked = words(text)
  return asked.every((word) => Object.hasOwn(signInScopes, word)) ? [...asked, ...allowedScopes(client)] : asked
}

/** Returns whether scopes are all that an app may have without its registration saying more. */
const isEverything = (asked: readonly string[]): boolean => defaultAppScopes.every((scope) => asked.includes(scope))

/** Returns whether scopes open something of the API. */
export const opensApi = (asked: readonly string[]): boolean => asked.some((scope) => isAppScope(scope))

/** Describes each permission among scopes that are described as everything; empty for other scopes. */
export const describeEach = (asked: readonly string[]): string[] =>
  isEverything(asked)
    ? asked
        .filter((scope) => !Object.hasOwn(signInScopes, scope) && !namedScopes.includes(scope))
        .map(describeScope)
        .filter((text) => text !== undefined)
    : []

/** Describes scopes in words; scopes that together mean everything have one description. */
export function describeScopes(asked: readonly string[]): string[] {
  const everything = isEverything(asked)
  const told = asked.filter((scope) => !everything || Object.hasOwn(signInScopes, scope) || namedScopes.includes(scope))
  const described = told.map(describeScope).filter((text) => text !== undefined)
  return everything ? ['Everything that you may do', ...described] : described
}
