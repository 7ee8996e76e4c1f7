import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { Json } from './http.ts'

type Flags = { readonly isVerified?: boolean }

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

const head = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(major << 5) | value])
    : value < 256
      ? Buffer.from([(major << 5) | 24, value])
      : Buffer.from([(major << 5) | 25, value >> 8, value & 255])

/** The few forms of CBOR that an authenticator writes (RFC 8949). */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member as Parameters<typeof cbor>[0])])
  return Buffer.concat([head(5, value.size), ...members])
}

/** A passkey in software: it signs what a browser at an origin would have it sign (WebAuthn §6). */
export function softwarePasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = sha256(randomUUID())
  let uses = 0
  let userHandle = ''

  const authenticatorData = (
    rpId: string,
    { isVerified = true }: Flags,
    attested: Buffer = Buffer.alloc(0),
  ): Buffer => {
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(uses++)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested])
  }
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' }

  return {
    /** Creates the credential; `format` and `statement` are its attestation. */
    create(
      { challenge, rp, user }: Json,
      { format = 'none', statement = new Map<string, unknown>(), ...flags }: Flags & Attestation = {},
    ): string {
      userHandle = user.id
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      )
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const attestation = new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authenticatorData(rp.id, flags, attested)],
      ])
      return JSON.stringify({
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: cbor(attestation).toString('base64url'),
        },
      })
    },
    /** Signs a challenge. */
    get({ challenge, rpId }: Json, flags: Flags = {}): string {
      const data = authenticatorData(rpId, flags)
      const client = clientData('webauthn.get', challenge)
      return JSON.stringify({
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
          userHandle,
        },
      })
    },
  }
}

type Attestation = { readonly format?: string; readonly statement?: Map<string, unknown> }
