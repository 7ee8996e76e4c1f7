import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { z } from 'zod'
import { parsedJson, memberOf } from '../../../lib/guards.ts'

/** Forms have at most 16 KiB; ids of credentials at most 1023 bytes (WebAuthn §4). */
const idMax = 1400

const credential = z.object({
  id: z.string().max(idMax),
  rawId: z.string().max(idMax),
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
})

const registration = credential.extend({
  response: z.object({ clientDataJSON: z.string(), attestationObject: z.string() }),
})

const signIn = credential.extend({
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
    userHandle: z.string(),
  }),
})

const read = <T>(schema: z.ZodType<T>, text: string): T | undefined => schema.safeParse(parsedJson(text)).data

/** Returns whether an attestation has no certificates; false if it cannot be read. */
function isPlain(attestationObject: string): boolean {
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const isKnown = ['none', 'packed'].includes(attestation.get('fmt'))
    return isKnown && attestation.get('attStmt').get('x5c') === undefined
  } catch {
    return false
  }
}

/**
 * Reads a new credential. One with certificates is refused: none were requested, and checking them would load lists of
 * revoked ones from addresses that they name.
 */
export function readRegistration(text: string): z.infer<typeof registration> | undefined {
  const found = read(registration, text)
  return found !== undefined && isPlain(found.response.attestationObject) ? found : undefined
}

/** Reads the signature of a passkey, with which a person signs in. */
export const readSignIn = (text: string): z.infer<typeof signIn> | undefined => read(signIn, text)

/** Returns the challenge that a browser has had signed; empty if there is none. */
export function challengeOf(clientDataJSON: string): string {
  const challenge = memberOf(parsedJson(Buffer.from(clientDataJSON, 'base64url').toString()), 'challenge')
  return typeof challenge === 'string' ? challenge : ''
}
