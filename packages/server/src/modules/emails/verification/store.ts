import type { ReadTx } from '../../../db/tx.ts'
import { dayMs } from '../../../kernel/clock.ts'
import type { Verification } from '../../../kernel/verification.ts'

type Day = { readonly day: string; readonly taken: number }
type Letter = { readonly recipients: readonly string[] }

/** The recipients of the letters that runs of plain workflows wrote on a day, in UTC. */
async function countRecipients(tx: ReadTx, workspaceId: string, day: string): Promise<number> {
  const from = Date.parse(`${day}T00:00:00Z`)
  const letters = await tx.query<Letter>(({ knex }) =>
    knex('email')
      .select('recipients')
      .where({ workspace_id: workspaceId, in_sequence: false })
      .whereNotNull('run_id')
      .where('created_at', '>=', from)
      .where('created_at', '<', from + dayMs),
  )
  return letters.reduce((sum, { recipients }) => sum + recipients.length, 0)
}

/**
 * Verifies that the day of a workspace counts every recipient who was written to. It may count more: those of a letter
 * that was not sent in the end.
 */
export const emailDayVerification: Verification = {
  name: 'E-mails of a day',
  async verify(tx, { workspaceId }) {
    const [row] = await tx.query<Day>(({ knex }) =>
      knex('email_day').select('day', 'taken').where('workspace_id', workspaceId),
    )
    if (row === undefined) return { checked: 0, discrepancies: [] }
    const { day, taken } = row
    const written = await countRecipients(tx, workspaceId, day)
    if (written <= taken) return { checked: 1, discrepancies: [] }
    const detail = `${day} counts ${taken} recipients, but ${written} were e-mailed`
    return {
      checked: 1,
      discrepancies: [
        {
          detail,
          repair: async (write) =>
            void (await write.change(({ knex }) =>
              knex('email_day')
                .where({ workspace_id: workspaceId, day })
                .increment('taken', written - taken),
            )),
        },
      ],
    }
  },
}
