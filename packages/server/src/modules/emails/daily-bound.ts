import { param, statement } from '../../db/statement.ts'
import type { RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/tx.ts'
import { dayMs } from '../../kernel/clock.ts'

/** A letter that is not sent, since its workspace has written to as many recipients as it may on one day. */
export class EmailLimitReached extends Error {
  override readonly name = 'EmailLimitReached'

  constructor(limit: number, day: string) {
    super(
      `The workflows of this workspace can e-mail ${limit} recipients a day, and this e-mail would exceed that on ` +
        `${day} (UTC). Retry the run tomorrow, use a campaign to e-mail many people, or let the operator raise ` +
        `WORKFLOW_EMAILS_PER_DAY.`,
    )
  }
}

type Day = RowOf<'email_day'>

const locked = statement<{ workspace_id: string }, Day>(({ knex, dialect }) =>
  dialect.locked(
    knex('email_day')
      .select('workspace_id', 'day', 'taken')
      .where({ workspace_id: param('workspace_id') }),
    'change',
  ),
)

type QuotaRequest = {
  readonly workspaceId: string
  readonly recipients: number
  /** Recipients a day; 0 is no limit. */
  readonly limit: number
  readonly now: number
}

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/**
 * Counts the recipients of a letter on the day, in UTC; throws where they are too many (0176). Clocks of processes
 * differ: once one of them has begun a day, the others count on that day too, or each would begin its own again.
 */
export async function countOnDay(tx: Tx, { workspaceId, recipients, limit, now }: QuotaRequest): Promise<void> {
  if (limit === 0) return
  const today = { workspace_id: workspaceId, day: dayOf(now), taken: recipients }
  if (recipients <= limit && (await tx.insertNew('email_day', [today], ['workspace_id'])).length > 0) return
  const before = await tx.first(locked, { workspace_id: workspaceId })
  const day = before?.day === dayOf(now + dayMs) ? before.day : today.day
  const taken = (before?.day === day ? before.taken : 0) + recipients
  if (taken > limit) throw new EmailLimitReached(limit, day)
  await tx.updateByKey('email_day', ['workspace_id'], [{ ...today, day, taken }])
}
