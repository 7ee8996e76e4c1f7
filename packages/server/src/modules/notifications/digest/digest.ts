import { inEachWorkspace } from '../../../engine/each-workspace.ts'
import { every, type EarlyContext, type Recurring } from '../../../engine/recurring.ts'
import { derivedId } from '../../../kernel/ids.ts'
import { findMember } from '../../identity/users/index.ts'
import { MailFailure, type Mailer } from '../../mail/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { findSettings } from '../../settings/index.ts'
import { findSlug } from '../../workspaces/index.ts'
import { contextOf } from '../audience.ts'
import { presentNotifications } from '../present.ts'
import type { PreferenceRow } from '../preferences/store.ts'
import { tellReader } from '../sentence.ts'
import { findDue, listDueWorkspaces, listUnread, markDigested, moveDigest } from './store.ts'
import { nextDigestAt } from '../preferences/digest-times.ts'

const everyMs = 60_000

/** Notifications that a digest tells of one by one. */
const toldMax = 100

/** When a digest is tried again that the mail server does not take now. */
const againMs = 600_000

/** Younger notifications are left to the next digest: their transactions may not have ended. */
const settledMs = 60_000

type Services = { readonly mailer: Mailer; readonly schemaSets: SchemaSets }

/** Sends unread notifications by e-mail to members who asked for it. */
export function digests(services: Services): Recurring {
  const run = inEachWorkspace<EarlyContext>({
    due: listDueWorkspaces,
    work: (context, workspaceId) => sendNext(context, services, workspaceId),
  })
  return every(everyMs, { name: 'notifications.digest', run })
}

/** Sends the digest that has waited longest; returns whether there may be more. */
async function sendNext(
  { database, clock, logger }: EarlyContext,
  services: Services,
  workspaceId: string,
): Promise<boolean> {
  const now = clock.now()
  const row = await findDue(database.reader, workspaceId, now)
  if (row === undefined) return false
  const until = Math.max(now - settledMs, row.last_digest_at ?? 0)
  const letter = await letterFor(database.reader, services, row, { now, until })
  let isLater = false
  try {
    if (letter !== undefined) await services.mailer(letter)
  } catch (error) {
    // An address that the mail server does not take must not keep the others waiting.
    if (!(error instanceof MailFailure)) throw error
    isLater = !error.isPermanent
    logger.warn({ err: error, workspaceId }, 'the mail server refused a digest')
  }
  const { time_zone: zone } = await findSettings(database.reader, workspaceId)
  const next = isLater
    ? { next_digest_at: now + againMs, last_digest_at: row.last_digest_at }
    : { next_digest_at: nextDigestAt(row, now, zone), last_digest_at: until }
  await database.write(async (tx) => {
    if (!isLater) await markDigested(tx, row, until, now)
    await moveDigest(tx, row, next)
  })
  return true
}

/** The digest of a person; undefined where there is nothing to tell, or no one to tell it. */
async function letterFor(
  tx: EarlyContext['database']['reader'],
  { schemaSets }: Services,
  row: PreferenceRow,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<Parameters<Mailer>[0] | undefined> {
  const { workspace_id: workspaceId, user_id: userId, last_digest_at } = row
  const unread = await listUnread(tx, row, until, toldMax + 1)
  const [member, slug] = await Promise.all([findMember(tx, workspaceId, userId), findSlug(tx, workspaceId)])
  if (unread.length === 0 || slug === undefined || member === undefined || member.unverified_since !== null)
    return undefined
  const schemas = await schemaSets.readCurrent(tx, workspaceId)
  const ctx = await contextOf(tx, { workspaceId, now }, schemas, userId)
  if (ctx === undefined) return undefined
  const told = (await presentNotifications(ctx, unread.slice(0, toldMax))).map((one) => `- ${tellReader(one)}`)
  const more = unread.length > toldMax ? ['- and more'] : []
  return {
    to: member.email,
    subject: `${slug}: what you have not read`,
    text: [
      'Since the last digest:',
      '',
      ...told,
      ...more,
      '',
      'You requested this digest in your notification preferences, where you can also turn it off.',
    ].join('\n'),
    key: derivedId('digest', workspaceId, `${userId} ${last_digest_at}`),
  }
}
