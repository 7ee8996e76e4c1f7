import { z } from 'zod'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobKind, JobType } from '../../../engine/types.ts'
import type { OutboundClient } from '../../../lib/outbound/client.ts'
import { findSettings } from '../../settings/index.ts'

const payload = z.object({ text: z.string() })
type Payload = z.infer<typeof payload>

const chatJobType: JobType<Payload> = { name: 'notifications.chat', payload }

/** Attempts, over some ten minutes: later than that, a message of a chat is of no use. */
const attemptsMax = 8

/** Posts a message to the chat of a workspace, once what it tells of is stored. */
export const enqueueMessage = (tx: Tx, workspaceId: string, text: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: chatJobType, payload: { text }, now })

/** Sends messages to the incoming webhook that the workspace has set, as Slack and others take them. */
export const chatJob = ({ outbound }: { readonly outbound: OutboundClient }): JobKind<Payload> => ({
  ...chatJobType,
  maxAttempts: attemptsMax,
  async run({ database, workspaceId, logger, callSignal }, { text }) {
    const { chat_webhook_url: url } = await findSettings(database.reader, workspaceId)
    if (url === null) return { state: 'done' }
    const headers = { 'content-type': 'application/json' }
    const { status } = await outbound.send({ method: 'POST', url, headers, body: JSON.stringify({ text }) }, callSignal)
    if (status >= 200 && status < 300) return { state: 'done' }
    if (status === 408 || status === 429 || status >= 500) throw new Error(`The chat responded with status ${status}.`)
    logger.warn({ workspaceId, status }, 'the chat of a workspace refuses messages')
    return { state: 'done' }
  },
})
