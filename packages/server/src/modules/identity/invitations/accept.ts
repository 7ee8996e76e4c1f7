import type { Database, Tx } from '../../../db/tx.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { hashSecret, newId } from '../../../kernel/ids.ts'
import { addMember, renamePerson } from '../members/index.ts'
import { takeOver, type Passwords } from '../sign-in/index.ts'
import { emailKey, findMember, findUser, findUserByEmail, insertUser, type UserRow } from '../users/index.ts'
import { isPending } from './link.ts'
import { deleteInvitation, findInvitationByToken, lockInvitation, type ToldInvitation } from './store.ts'

type Options = Telling & {
  readonly database: Database
  readonly forgetMemberships: () => void
  readonly passwords: Passwords
  /** Called when access of apps and programs has been revoked, so that this node stops accepting it at once. */
  readonly onAccessEnded: () => void
}

/** The facts that an invitation link shows. */
type Invited = {
  readonly email: string
  readonly name: string | null
  readonly role: ToldInvitation['role']
  readonly workspaceName: string
  readonly inviter: string | null
  /**
   * The invited address has an account, so its person must sign in: the link, which others may have had, does not open
   * the account.
   */
  readonly hasAccount: boolean
}

type Person = Pick<UserRow, 'id' | 'email' | 'name'>

/**
 * Returns whether an invitation link transfers the account to the person who opens it. It does if the holder of the
 * account has not verified the address yet, and the link went only to that address (docs/decisions/0088).
 */
const isTakenOver = (account: UserRow, { mailed }: ToldInvitation): boolean =>
  mailed && account.unverified_since !== null

/** Admits people who hold an invitation link. It works once. */
export class Invitations {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Undefined for a link that was used, was replaced, has expired or ended, or never existed. */
  async find(token: string): Promise<Invited | undefined> {
    const { database, clock } = this.#options
    const row = await findInvitationByToken(database.reader, hashSecret(token))
    if (row === undefined || !isPending(row, clock.now())) return undefined
    const account = await findUserByEmail(database.reader, row.email)
    return {
      email: row.email,
      name: row.name,
      role: row.role,
      workspaceName: row.workspace_name,
      inviter: row.inviter_name ?? row.inviter_email,
      hasAccount: account !== undefined && !isTakenOver(account, row),
    }
  }

  /**
   * Admits a person who has an account with the invited address; false if the link is for another address or no longer
   * valid.
   */
  accept(token: string, userId: string): Promise<boolean> {
    return this.#use(token, async (tx, row) => {
      const user = await findUser(tx, userId)
      return user !== undefined && emailKey(user.email) === row.email_key && !isTakenOver(user, row) ? user : undefined
    })
  }

  /**
   * Creates an account for the invited address, or takes over an unverified one, and admits it; returns the user's id,
   * or undefined if the link is no longer valid.
   */
  async signUp(
    token: string,
    { name, password }: { readonly name: string; readonly password: string },
  ): Promise<string | undefined> {
    const { clock, passwords, onAccessEnded } = this.#options
    const passwordHash = await passwords.hash(password)
    const now = clock.now()
    const newUserId = newId(now)
    let id: string | undefined
    // If an account was created in the meantime, this link must not change its password.
    const choose = async (tx: Tx, row: ToldInvitation): Promise<Person | undefined> => {
      const known = await findUserByEmail(tx, row.email)
      if (known === undefined) return { id: newUserId, email: row.email, name }
      return isTakenOver(known, row) ? { ...known, name } : undefined
    }
    const done = await this.#use(token, choose, async (tx, person, { mailed }) => {
      id = person.id
      if (person.id === newUserId)
        await insertUser(tx, { ...person, created_at: now, unverified_since: mailed ? null : now })
      else {
        await takeOver(tx, this.#options, person)
        await renamePerson(tx, this.#options, person.id, name)
      }
      await passwords.put(tx, person.id, passwordHash)
    })
    if (!done) return undefined
    if (id !== newUserId) onAccessEnded()
    return id
  }

  /** Of two people who use the link at once, the second finds it gone: the invitation is locked before all else. */
  async #use(
    token: string,
    choose: (tx: Tx, row: ToldInvitation) => Promise<Person | undefined>,
    make: (tx: Tx, person: Person, row: ToldInvitation) => Promise<void> = async () => undefined,
  ): Promise<boolean> {
    const { database, clock, forgetMemberships } = this.#options
    const done = await database.write(async (tx) => {
      const row = await findPending(tx, token, clock.now())
      if (row === undefined) return false
      const person = await choose(tx, row)
      if (person === undefined) return false
      await deleteInvitation(tx, row)
      await make(tx, person, row)
      if ((await findMember(tx, row.workspace_id, person.id)) !== undefined) return true
      const { workspace_id: workspaceId, role, id: invitationId } = row
      await addMember(tx, this.#options, { workspaceId, person, role, invitationId })
      return true
    })
    if (done) forgetMemberships()
    return done
  }
}

/**
 * The invitation of a link that works, locked: one that is revoked, sent again or ended meanwhile is waited for, and
 * looked at as it is then.
 */
async function findPending(tx: Tx, token: string, now: number): Promise<ToldInvitation | undefined> {
  const told = await findInvitationByToken(tx, hashSecret(token))
  const row = told && (await lockInvitation(tx, told.workspace_id, told.id))
  return row !== undefined && row.token_hash === told?.token_hash && isPending(row, now)
    ? { ...told, ...row }
    : undefined
}
