import type { Actor } from '../../../kernel/actor.ts'
import { failure } from '../../../kernel/errors.ts'
import { looksLikeKey, type KeyAuthenticator } from '../api-keys/index.ts'
import type { TokenAuthenticator } from './tokens.ts'

const headerMax = 8192

const credentialShape = /^([A-Za-z-]+) +(\S+) *$/

/** An access token is a JWT: three parts, of which the first is JSON. */
const looksLikeToken = (text: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text)

const forms = '"Authorization: api-key <API_KEY>", "X-API-Key: <API_KEY>" or "Authorization: Bearer <ACCESS_TOKEN>"'

/**
 * Reads `Authorization: api-key <KEY>` or `Authorization: Bearer <TOKEN>` (spec §5). A key may also come as a Bearer
 * token, since many generated clients can send nothing else; its prefix tells it from an access token.
 */
export const authenticator =
  (keys: KeyAuthenticator, tokens: TokenAuthenticator) =>
  async (authorization: string | undefined): Promise<Actor> => {
    if (authorization === undefined) throw failure('unauthenticated', `Send a credential: ${forms}.`)
    if (authorization.includes(',')) throw failure('unauthenticated', `Send only one credential: ${forms}.`)
    const [, scheme = '', credential = ''] =
      credentialShape.exec(authorization.length > headerMax ? '' : authorization) ?? []
    switch (scheme.toLowerCase()) {
      case 'api-key':
        if (looksLikeToken(credential))
          throw failure(
            'key_invalid',
            'This is an access token: send it as "Authorization: Bearer <ACCESS_TOKEN>", not as an API key.',
          )
        return keys.authenticate(credential)
      case 'bearer':
        return looksLikeKey(credential) ? keys.authenticate(credential) : tokens.authenticate(credential)
      default:
        throw failure('unauthenticated', `Send a credential in one of these forms: ${forms}.`)
    }
  }
