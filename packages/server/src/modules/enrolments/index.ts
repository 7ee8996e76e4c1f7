export { type CampaignRow, plainCampaign } from './campaign.ts'
export { type Delivery, progressOf, type Standing } from './delivery.ts'
export { engagementCounters, type Enrollee, Enrolments } from './enrolments.ts'
export {
  findEnrolled,
  followRun,
  holdCampaign,
  keepPeople,
  listActive,
  listHolders,
  listRecipientsAmong,
  lockRecipients,
  recipientColumns,
  type RecipientRow,
  removeRecipients,
  updateRecipient,
} from './store.ts'
export {
  addUp,
  countChanges,
  type Counted,
  recipientsCounter,
  recipientTotals,
  type RecipientTotals,
} from './totals.ts'
