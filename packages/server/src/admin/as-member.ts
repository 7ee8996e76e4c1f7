import type { Database } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'
import { Failure, type Fault } from '../kernel/errors.ts'
import type { InProcessCall } from '../kernel/invoke/in-process.ts'
import { defined } from '../lib/guards.ts'
import type { Issuer } from '../modules/identity/tokens/index.ts'
import { AdminError } from './error.ts'
import { listedUsers, type ListedUser } from './people.ts'

type Callers = {
  readonly database: Database
  readonly clock: Clock
  readonly issuer: Issuer
  readonly authUrl: string
  readonly baseUrl: string
}

/** Calls the API as a user, so that every rule of the API applies; refusals keep the API's words. */
export async function asUser<T>(
  { issuer, ...options }: Callers,
  userId: string,
  work: (call: InProcessCall) => Promise<T>,
): Promise<T> {
  const { access_token: token } = await issuer.mint(userId)
  // Loaded only here: the rest of administration needs no HTTP.
  const { callAlone } = await import('./calls.ts')
  try {
    return await work(callAlone(options, token))
  } catch (error) {
    throw error instanceof Failure ? new AdminError(error.faults.map(explain).join('\n')) : error
  }
}

/** Calls the API as an admin of a workspace: as the meant one, or else as another. */
export async function asAdmin<T>(
  callers: Callers,
  workspace: string,
  isMeant: (admin: ListedUser) => boolean,
  work: (call: InProcessCall) => Promise<T>,
): Promise<T> {
  const admins = (await listedUsers(callers.database, workspace)).filter(({ role }) => role === 'admin')
  return asUser(callers, defined(admins.find(isMeant) ?? admins[0]).id, work)
}

const explain = ({ detail, source }: Fault): string =>
  [source?.pointer?.replace('/data/attributes/', ''), detail].filter((part) => part !== undefined).join(': ')
