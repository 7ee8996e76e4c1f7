import type { Database, Tx } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { memberOf, textOf } from '../../../lib/guards.ts'
import { readSealed, type KeyRing } from '../../../lib/key-ring.ts'
import {
  countCodes,
  deleteCode,
  deleteFactor,
  findFactor,
  insertFactor,
  listSealedByOthers,
  replaceCodes,
  updateSealed,
  updateStep,
  type SecondFactorRow,
} from './store.ts'
import { newTotpSecret, stepOf, totpUri } from './totp.ts'
import { randomBytes } from 'node:crypto'
import { hashSecret } from '../../../kernel/ids.ts'

type Options = { readonly database: Database; readonly clock: Clock; readonly keys: KeyRing }

/** A secret that a person has not confirmed yet; `setup` carries it, signed, through the form. */
type Enrolment = { readonly secret: string; readonly uri: string; readonly setup: string }

const setupPurpose = 'second-factor.setup'

const placeOf = (userId: string): string => `second-factor:${userId}`

const sealedColumns = (
  keys: KeyRing,
  userId: string,
  secret: string,
): Pick<SecondFactorRow, 'sealed_secret' | 'sealed_with'> => ({
  sealed_secret: JSON.stringify(keys.seal(secret, placeOf(userId))),
  sealed_with: keys.newest,
})

const secretOf = (keys: KeyRing, { user_id, sealed_secret: sealed }: SecondFactorRow): string =>
  String(keys.unseal(readSealed(sealed), placeOf(user_id)))

/** The second factors of accounts: codes of an authenticator app, and recovery codes (docs/decisions/0357). */
export class SecondFactors {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns when it was turned on, and how many recovery codes are left; undefined if it is off. */
  async find(userId: string): Promise<{ readonly createdAt: number; readonly codesLeft: number } | undefined> {
    const { reader } = this.#options.database
    const row = await findFactor(reader, userId)
    return row && { createdAt: row.created_at, codesLeft: await countCodes(reader, userId) }
  }

  /** Begins an enrolment, or continues the one that a form has carried. */
  enrol({ id, email }: { readonly id: string; readonly email: string }, setup?: string): Enrolment {
    const secret = (setup !== undefined && this.#readSetup(id, setup)) || newTotpSecret()
    const content = Buffer.from(JSON.stringify({ secret, userId: id }))
    return { secret, uri: totpUri(secret, email), setup: this.#options.keys.sign(content, setupPurpose) }
  }

  /** Turns it on, given a code of the app; returns the recovery codes, or undefined for a wrong code. */
  async confirm(userId: string, setup: string, code: string): Promise<string[] | undefined> {
    const { database, clock, keys } = this.#options
    const secret = this.#readSetup(userId, setup)
    const now = clock.now()
    const step = secret === undefined ? undefined : stepOf(secret, code.replaceAll(/\s/g, ''), now)
    if (secret === undefined || step === undefined) return undefined
    const codes = newRecoveryCodes()
    const row = { user_id: userId, ...sealedColumns(keys, userId, secret), last_step: step, created_at: now }
    const isNew = await database.write(async (tx) => {
      if (!(await insertFactor(tx, row))) return false
      await replaceCodes(
        tx,
        userId,
        codes.map(recoveryHash).filter((hash) => hash !== undefined),
      )
      return true
    })
    return isNew ? codes : undefined
  }

  /** Uses up a code of the app or a recovery code; false for a wrong or a used one. */
  async use(tx: Tx, userId: string, given: string): Promise<boolean> {
    const { clock, keys } = this.#options
    const row = await findFactor(tx, userId)
    if (row === undefined) return false
    const step = stepOf(secretOf(keys, row), given.replaceAll(/\s/g, ''), clock.now())
    if (step !== undefined) return updateStep(tx, userId, step)
    const hash = recoveryHash(given)
    return hash !== undefined && deleteCode(tx, userId, hash)
  }

  /** Replaces the recovery codes by new ones. */
  async renewCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes()
    await replaceCodes(
      tx,
      userId,
      codes.map(recoveryHash).filter((hash) => hash !== undefined),
    )
    return codes
  }

  #readSetup(userId: string, setup: string): string | undefined {
    const content = this.#options.keys.verify(setup, setupPurpose)
    if (content === undefined) return undefined
    const given: unknown = JSON.parse(content.toString())
    return memberOf(given, 'userId') === userId ? textOf(memberOf(given, 'secret')) : undefined
  }
}

/** Returns whether an account has a second factor. */
export const hasSecondFactor = async (tx: Parameters<typeof findFactor>[0], userId: string): Promise<boolean> =>
  (await findFactor(tx, userId)) !== undefined

/** Turns the second factor of an account off; returns whether there was one. */
export const removeSecondFactor = deleteFactor

/** Encrypts anew what an older key has encrypted, so that it can be removed; returns whether there may be more. */
export const encryptFactors =
  (keys: KeyRing) =>
  async (tx: Tx): Promise<boolean> => {
    const rows = await listSealedByOthers(tx, keys.newest)
    for (const row of rows)
      await updateSealed(tx, { user_id: row.user_id, ...sealedColumns(keys, row.user_id, secretOf(keys, row)) })
    return rows.length > 0
  }

/** Codes that a person gets at a time. */
const recoveryCodesMax = 10

/** Letters and digits that are not mistaken for each other; 32, so that each byte gives one without bias. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

const groups = 4
const groupLength = 4

/** Returns codes of 80 bits each, so that a fast hash of them is as good as a slow one. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodesMax }, () => {
    const letters = [...randomBytes(groups * groupLength)].map((byte) => alphabet[byte % alphabet.length]).join('')
    return Array.from({ length: groups }, (_, index) =>
      letters.slice(index * groupLength, (index + 1) * groupLength),
    ).join('-')
  })

/** Returns the hash of a code, however it was typed; undefined of a text that is none. */
function recoveryHash(text: string): string | undefined {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return letters.length === groups * groupLength ? hashSecret(letters) : undefined
}
