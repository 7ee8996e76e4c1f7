import type { Pool } from '../../pool/index.ts'
import type { AiSettings } from '../language-models/index.ts'
import type { Block } from '../plugins/index.ts'
import { aiGenerate } from './ai-generate.ts'
import { branch } from './branch.ts'
import { createComment } from './create-comment.ts'
import { createRecord } from './create-record.ts'
import { delayFor } from './delay-for.ts'
import { delayUntil } from './delay-until.ts'
import { deleteRecord } from './delete-record.ts'
import { emailValidation } from './email-validation.ts'
import { executeCode, type CodeServices } from './execute-code.ts'
import { findRecords } from './find-records.ts'
import { forEach } from './for-each.ts'
import { addToList, removeFromList } from './list-entries.ts'
import { sendEmail, type EmailSender } from './send-email.ts'
import { sendWebhook, type WebhookSender } from './send-webhook.ts'
import { setRelationship } from './set-relationship.ts'
import { unsetRelationship } from './unset-relationship.ts'
import { updateRecord } from './update-record.ts'
import { upsertRecord } from './upsert-record.ts'
import { waitEvent } from './wait-event.ts'

export type { WebhookSender }

/** Services of the server that blocks use. */
export type BlockServices = WebhookSender &
  CodeServices &
  EmailSender & {
    /** Without them, the server has no language model to ask. */
    readonly ai: AiSettings | undefined
    readonly pool: Pool
  }

/** All blocks, in the order in which they are listed. */
export const createBlocks = (services: BlockServices): readonly Block[] => [
  createRecord,
  updateRecord,
  deleteRecord,
  upsertRecord,
  findRecords,
  setRelationship,
  unsetRelationship,
  createComment,
  addToList,
  removeFromList,
  sendEmail(services),
  emailValidation,
  sendWebhook(services),
  executeCode(services),
  aiGenerate(services.ai, services.pool),
  branch,
  forEach,
  delayFor,
  delayUntil,
  waitEvent,
]
