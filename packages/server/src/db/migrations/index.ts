import { migration as fold } from './0001-fold.ts'
import { migration as workspaces } from './0002-workspaces.ts'
import { migration as records } from './0003-records.ts'
import { migration as flow } from './0004-flow.ts'
import { migration as activities } from './0005-activities.ts'
import { migration as recovery } from './0006-recovery.ts'
import { migration as jobs } from './0007-jobs.ts'
import { migration as fieldIndex } from './0008-field-index.ts'
import { migration as horizons } from './0009-horizons.ts'
import { migration as linksBack } from './0010-links-back.ts'
import { migration as schemas } from './0011-schemas.ts'
import { migration as oneBarrier } from './0012-one-barrier.ts'
import { migration as linkCounts } from './0013-link-counts.ts'
import { migration as search } from './0014-search.ts'
import { migration as access } from './0015-access.ts'
import { migration as lists } from './0016-lists.ts'
import { migration as signIn } from './0017-sign-in.ts'
import { migration as oauth } from './0018-oauth.ts'
import { migration as gramTimes } from './0019-gram-times.ts'
import { migration as identity } from './0020-identity.ts'
import { migration as schemaQueue } from './0021-schema-queue.ts'
import { migration as mergedOwners } from './0022-merged-owners.ts'
import { migration as visibility } from './0023-visibility.ts'
import { migration as recordOrder } from './0024-record-order.ts'
import { migration as eventCursors } from './0025-event-cursors.ts'
import { migration as webhooks } from './0026-webhooks.ts'
import { migration as workflows } from './0027-workflows.ts'
import { migration as eventsOfRecords } from './0028-events-of-records.ts'
import { migration as workflowSecretKeys } from './0029-workflow-secret-keys.ts'
import { migration as settings } from './0030-settings.ts'
import { migration as meetingRecordings } from './0031-meeting-recordings.ts'
import { migration as layouts } from './0032-layouts.ts'
import { migration as runsInOrder } from './0033-runs-in-order.ts'
import { migration as emails } from './0034-emails.ts'
import { migration as campaigns } from './0035-campaigns.ts'
import { migration as files } from './0036-files.ts'
import { migration as meetingMedia } from './0037-meeting-media.ts'
import { migration as campaignPacing } from './0038-campaign-pacing.ts'
import { migration as notifications } from './0039-notifications.ts'
import { migration as calendarEntries } from './0040-calendar-entries.ts'
import { migration as notetaker } from './0041-notetaker.ts'
import { migration as letterFiles } from './0042-letter-files.ts'
import { migration as agents } from './0043-agents.ts'
import { migration as inboundRotation } from './0044-inbound-rotation.ts'
import { migration as registration } from './0045-registration.ts'
import { migration as addressRotation } from './0046-address-rotation.ts'
import { migration as runsActAs } from './0047-runs-act-as.ts'
import { migration as recipients } from './0048-recipients.ts'
import { migration as recordingEnabled } from './0049-recording-enabled.ts'
import { migration as comparedValues } from './0050-compared-values.ts'
import { migration as eventsOfLists } from './0051-events-of-lists.ts'
import { migration as endedInvitations } from './0052-ended-invitations.ts'
import { migration as warningsOfWebhooks } from './0055-warnings-of-webhooks.ts'
import { migration as causesOfDeliveries } from './0056-causes-of-deliveries.ts'
import { migration as orderOfWebhooks } from './0057-order-of-webhooks.ts'
import { migration as sentLetters } from './0058-sent-letters.ts'
import { migration as calendarVersions } from './0059-calendar-versions.ts'
import { migration as calledOffMeetings } from './0063-called-off-meetings.ts'
import { migration as watchedLeases } from './0064-watched-leases.ts'
import { migration as runsByActor } from './0065-runs-by-actor.ts'
import { migration as recipientTotals } from './0066-recipient-totals.ts'
import { migration as sizesOfSteps } from './0067-sizes-of-steps.ts'
import { migration as positionsOfWebhooks } from './0068-positions-of-webhooks.ts'
import { migration as deliveriesWithoutBodies } from './0069-deliveries-without-bodies.ts'
import { migration as calendarSeries } from './0070-calendar-series.ts'
import { migration as peopleAtOnce } from './0071-people-at-once.ts'
import { migration as toldNotifications } from './0072-told-notifications.ts'
import { migration as reachedRecipients } from './0073-reached-recipients.ts'
import { migration as emailsOfADay } from './0074-emails-of-a-day.ts'
import { migration as lostWorkers } from './0075-lost-workers.ts'
import { migration as whoDidIt } from './0076-who-did-it.ts'
import { migration as heldRuns } from './0077-held-runs.ts'
import { migration as suppressionsByMaker } from './0080-suppressions-by-maker.ts'
import { migration as retiredKeys } from './0081-retired-keys.ts'
import { migration as listsFollowAsOthers } from './0088-lists-follow-as-others.ts'
import { migration as workspacesIn } from './0090-workspaces-in.ts'
import { migration as keysThatExpire } from './0091-keys-that-expire.ts'
import { migration as secondFactors } from './0100-second-factors.ts'
import { migration as imports } from './0118-imports.ts'
import { migration as importReverts } from './0119-import-reverts.ts'
import { migration as passkeys } from './0126-passkeys.ts'
import { migration as exports } from './0131-exports.ts'
import type { Migration } from './words.ts'

/** In order; the number of a migration is its place, from 1. One that has been released is never edited. */
export const migrations: readonly Migration[] = [
  fold,
  workspaces,
  records,
  flow,
  activities,
  recovery,
  jobs,
  fieldIndex,
  horizons,
  linksBack,
  schemas,
  oneBarrier,
  linkCounts,
  search,
  access,
  lists,
  signIn,
  oauth,
  gramTimes,
  identity,
  schemaQueue,
  mergedOwners,
  visibility,
  recordOrder,
  eventCursors,
  webhooks,
  workflows,
  eventsOfRecords,
  workflowSecretKeys,
  settings,
  meetingRecordings,
  layouts,
  runsInOrder,
  emails,
  campaigns,
  files,
  meetingMedia,
  campaignPacing,
  notifications,
  calendarEntries,
  notetaker,
  letterFiles,
  agents,
  inboundRotation,
  registration,
  addressRotation,
  runsActAs,
  recipients,
  recordingEnabled,
  comparedValues,
  eventsOfLists,
  endedInvitations,
  warningsOfWebhooks,
  causesOfDeliveries,
  orderOfWebhooks,
  sentLetters,
  calendarVersions,
  calledOffMeetings,
  watchedLeases,
  runsByActor,
  recipientTotals,
  sizesOfSteps,
  positionsOfWebhooks,
  deliveriesWithoutBodies,
  calendarSeries,
  peopleAtOnce,
  toldNotifications,
  reachedRecipients,
  emailsOfADay,
  lostWorkers,
  whoDidIt,
  heldRuns,
  suppressionsByMaker,
  retiredKeys,
  listsFollowAsOthers,
  workspacesIn,
  keysThatExpire,
  secondFactors,
  imports,
  importReverts,
  passkeys,
  exports,
]
