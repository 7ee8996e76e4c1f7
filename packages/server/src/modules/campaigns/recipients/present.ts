import { campaignRecipient, type CampaignRecipient, type RecipientStatus } from '@kontor/contract'
import { presenterOf } from '../../../kernel/resource.ts'
import { isString, itemsOf, memberOf } from '../../../lib/guards.ts'
import type { RecipientRow } from '../enrolments/store.ts'
import { engagementBits } from '../engagement/bits.ts'

type Attributes = Readonly<Record<string, unknown>>

const textOrNull = (value: unknown): string | null => (isString(value) && value !== '' ? value : null)

const presentPerson = (id: string, attributes: Attributes): CampaignRecipient['attributes']['person'] => {
  const { name, email_addresses: addresses, avatar_url: avatar, job_title: title, company_id: company } = attributes
  return {
    _id: id,
    name: {
      first_name: textOrNull(memberOf(name, 'first_name')),
      last_name: textOrNull(memberOf(name, 'last_name')),
      full_name: textOrNull(memberOf(name, 'full_name')),
    },
    email_addresses: { items: itemsOf(addresses).filter(isString) },
    avatar_url: textOrNull(avatar),
    job_title: textOrNull(title),
    company_id: textOrNull(company),
  }
}

/** The status of a recipient as it is shown. */
export const statusOf = ({ run_status: status }: RecipientRow): RecipientStatus =>
  status === 'suppressed' ? 'skipped' : status

const present = presenterOf(campaignRecipient)

/** A person of a campaign; the attributes are those of their record, as the caller sees it. */
export const presentRecipient = (row: RecipientRow, attributes: Attributes): CampaignRecipient => {
  const has = (bit: number): boolean => (row.engagement & bit) !== 0
  return present(
    { ...row, id: row.run_id },
    {
      workflow_run_id: row.run_id,
      person: presentPerson(row.person_id, attributes),
      status: statusOf(row),
      current_block_id: row.current_block,
      exit_reason: row.exit_plugin,
      exit_block_id: row.exit_node,
      has_opened: has(engagementBits.opened),
      has_clicked: has(engagementBits.clicked),
      has_replied: has(engagementBits.replied),
    },
  )
}
