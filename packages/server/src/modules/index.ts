import type { AppContract } from '@kontor/contract'
import { jobVerification } from '../engine/verification/store.ts'
import type { Verification } from '../kernel/verification.ts'
import type { Modules } from '../kernel/implement.ts'
import type { RateLimiter } from '../kernel/rate-limit.ts'
import { accessHandlers, grantsOfRecords, type AccessTargets } from './access/index.ts'
import { activitiesOfRecords, activityHandlers, feedEndVerification } from './activities/index.ts'
import { agentHandlers, agentKind, dealStageFault, findHolder, undoJob } from './agents/index.ts'
import { asyncTaskHandlers } from './async-tasks/index.ts'
import { attachmentHandlers, attachmentsOfRecords } from './attachments/index.ts'
import { apiHandlers } from './api/index.ts'
import {
  campaignDayVerification,
  recipientCountVerification,
  campaignHandlers,
  campaignsOfPeople,
  cancelEnrolment,
  enrolJob,
  reawakenJob,
  repaceJob,
  sequenceKind,
  testSendJob,
} from './campaigns/index.ts'
import { apiKeyHandlers, keysMade, type KeyAuthenticator } from './identity/api-keys/index.ts'
import { eventHandlers, type EventHub } from './event-feed/index.ts'
import { commentHandlers, commentsOfRecords } from './comments/index.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import type { Pool } from '../pool/index.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { workspaceDescriber } from './descriptions/index.ts'
import {
  emailHandlers,
  emailDayVerification,
  emailsOfRecords,
  suppressionHandlers,
  suppressionsOfPeople,
  type Emails,
  type Links,
} from './emails/index.ts'
import { restoreBundle, type RestoredWorkspace, type RestoreRequest, type RestoreServices } from './bundles/index.ts'
import { endInvitations, invitationHandlers } from './identity/invitations/index.ts'
import { discarding, type FileLinks, type FileStorage } from './files/index.ts'
import { cancelExport, exportHandlers, exportJob, exportJobVerification } from './exports/index.ts'
import { cancelImport, importHandlers, importJob, importJobVerification, revertJob } from './imports/index.ts'
import { layoutHandlers } from './layouts/index.ts'
import { limitHandlers } from './limits/index.ts'
import {
  entriesOfRecords,
  entryCountVerification,
  entryVerification,
  followChanges,
  listHandlers,
  listJobs,
  listTargets,
} from './lists/index.ts'
import type { Mailer } from './mail/index.ts'
import { chatJob, digests, noticeJob, notificationHandlers, notificationsOfRecords } from './notifications/index.ts'
import {
  calendarEntriesOfMeetings,
  meetingHandlers,
  notetakerJob,
  pendingPeopleJob,
  recordingsOfMeetings,
} from './meetings/index.ts'
import { memberChanges } from './identity/members/index.ts'
import { endingsJob } from './identity/acting/index.ts'
import { appHandlers, appsMade } from './identity/apps/index.ts'
import { purgingOf, recordHandlers, recordTargets, recordVerifications, type Dependent } from './records/index.ts'
import { recordJobs, type FieldIndexes } from './indexes/index.ts'
import { relationshipHandlers } from './relationships/index.ts'
import { requestHandlers, type FindRequests } from './requests/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { cancelSchemaChange, changeKind, cleanKind, schemaChanges, type FollowSchemas } from './schema-changes/index.ts'
import { schemaHandlers } from './schemas/index.ts'
import { searchHandlers } from './search/index.ts'
import { sqlHandlers } from './sql/index.ts'
import { settingHandlers } from './settings/index.ts'
import { listWithFactor } from './identity/factors/index.ts'
import { userHandlers } from './identity/users/index.ts'
import {
  adaptWebhooks,
  newSecrets,
  webhookConsumer,
  seesWebhook,
  webhookHandlers,
  webhookJobs,
  webhooksMade,
  workingWebhooks,
  type WebhookServices,
} from './webhooks/index.ts'
import {
  adaptWorkflows,
  chainHeadersOf,
  inboundHandlers,
  plainKind,
  workflowHandlers,
  workflowsMade,
  workingWorkflows,
  stopForList,
  workflowsBrokenBy,
} from './workflows/index.ts'
import {
  dispatcher,
  replanHeartbeats,
  runVerifications,
  runJobs,
  type WorkflowKinds,
  type WorkflowServices,
} from './runs/index.ts'
import { type Plugins } from './plugins/index.ts'
import { eventChangesVerification, eventVerification, followLog, followSubjects } from './events/index.ts'
import { workspaceHandlers, type Memberships } from './workspaces/index.ts'

/**
 * Dependents of records, which move when records are merged and are deleted when records are purged. A new kind of
 * dependent is added here.
 */
const dependents: readonly Dependent[] = [
  activitiesOfRecords,
  commentsOfRecords,
  attachmentsOfRecords,
  recordingsOfMeetings,
  calendarEntriesOfMeetings,
  emailsOfRecords,
  suppressionsOfPeople,
  notificationsOfRecords,
  grantsOfRecords,
  entriesOfRecords,
  campaignsOfPeople,
]

/** The kinds of workflows. A new one is added here. */
export const workflowKinds: WorkflowKinds = [plainKind, agentKind, sequenceKind]

/** Things that can be shared besides records, by their names in paths. */
const accessTargets: ReadonlyMap<string, AccessTargets> = new Map([['list', listTargets]])

/** Lets webhooks and workflows follow the schemas. */
const followSchemas =
  (services: Parameters<typeof adaptWorkflows>[0]): FollowSchemas =>
  async (tx, author, change) => {
    await adaptWebhooks(tx, author, change)
    await adaptWorkflows(services, tx, author, change)
  }

/** Permanently deletes, batch by batch, what was deleted more than 30 days ago. */
export const purging = purgingOf(dependents)

/** Creates the job kinds of all modules. */
export const createJobKinds = (
  services: Omit<Parameters<typeof changeKind>[0], 'followSchemas'> &
    WebhookServices &
    Parameters<typeof notetakerJob>[0] &
    Parameters<typeof testSendJob>[0] & {
      readonly workflows: WorkflowServices
      readonly emails: Emails
      readonly storage: FileStorage
      readonly pool: Pool
      readonly indexes: FieldIndexes
    },
) =>
  [
    ...recordJobs,
    ...listJobs(services),
    changeKind({ ...services, followSchemas: followSchemas(services.workflows) }),
    cleanKind(dependents),
    notetakerJob(services),
    pendingPeopleJob(services.workflows),
    ...runJobs(services.workflows),
    reawakenJob,
    undoJob(services.workflows),
    endingsJob([workingWebhooks(services), workingWorkflows(services.workflows)]),
    enrolJob(services.workflows),
    importJob({ ...services, ...services.workflows }),
    revertJob(services.workflows),
    exportJob(services),
    repaceJob,
    noticeJob(services.workflows),
    chatJob(services),
    testSendJob(services),
    ...webhookJobs({ ...services, chain: chainHeadersOf(services.keys) }),
  ] as const

/** Creates the recurring work of the modules. */
export const createRecurring = (
  services: Parameters<typeof followChanges>[0] &
    Parameters<typeof webhookConsumer>[0] & {
      readonly workflows: WorkflowServices
      readonly storage: FileStorage
      readonly mailer: Mailer | undefined
    },
) => [
  followSubjects(followChanges(services)),
  followLog(dispatcher(services.workflows)),
  followLog(webhookConsumer(services)),
  discarding(services.storage),
  ...(services.mailer === undefined ? [] : [digests({ mailer: services.mailer, schemaSets: services.schemaSets })]),
]

/**
 * The verifications of `kontor doctor --deep` in each workspace, in this order: counters follow what they count, since
 * its repair changes them. A new one is added here.
 */
export const verifications: readonly Verification[] = [
  eventVerification,
  eventChangesVerification,
  jobVerification,
  ...recordVerifications,
  feedEndVerification,
  entryVerification,
  entryCountVerification,
  ...runVerifications,
  importJobVerification,
  exportJobVerification,
  emailDayVerification,
  recipientCountVerification,
  campaignDayVerification,
]

/** Restores a bundle of a workspace; webhooks get new secrets, and counters are counted anew. */
export const restoreWorkspace = (
  { keys, ...services }: Omit<RestoreServices, 'counters' | 'newSecrets'> & { readonly keys: KeyRing },
  path: string,
  request: RestoreRequest,
): Promise<RestoredWorkspace> => {
  const counters = verifications.filter(({ isOfCounters }) => isOfCounters === true)
  return restoreBundle({ ...services, counters, newSecrets: (id) => newSecrets(keys, id) }, path, request)
}

type Services = {
  readonly keys: KeyAuthenticator
  /** Has access tokens looked up again: some have been revoked. */
  readonly forgetTokens: () => void
  readonly hub: EventHub
  readonly indexes: FieldIndexes
  readonly memberships: Memberships
  readonly rateLimiter: RateLimiter | undefined
  readonly findRequests: FindRequests
  readonly addresses: PublicAddresses
  readonly mailer: Mailer | undefined
  readonly plugins: Plugins
  readonly kinds: WorkflowKinds
  readonly writeEvents: WorkflowServices['writeEvents']
  readonly inboundUrl: Links['inboundUrl']
  readonly onError: (error: unknown) => void
  readonly webhooks: WebhookServices
  readonly storage: FileStorage
  readonly links: FileLinks
  readonly pool: Pool
  /** Calls operations as somebody, beside the call that is at work. */
  readonly actAs: WorkflowServices['actAs']
}

/** Creates all handlers of the contract; a missing domain does not compile. */
export const createModules = (services: Services) =>
  ({
    api: apiHandlers,
    workspaces: workspaceHandlers,
    users: userHandlers(
      memberChanges({ ...services, endInvitations }),
      [keysMade(services.keys), appsMade(services.forgetTokens), webhooksMade, ...workflowsMade(services.kinds)],
      listWithFactor,
    ),
    invitations: invitationHandlers({
      authUrl: services.addresses.authUrl,
      mailer: services.mailer,
      onError: services.onError,
    }),
    apiKeys: apiKeyHandlers(services.keys, seesWebhook),
    apps: appHandlers(services.forgetTokens),
    asyncTasks: asyncTaskHandlers({
      schema_modification: cancelSchemaChange(services),
      campaign_enrolment: cancelEnrolment,
      import: cancelImport,
      export: cancelExport,
    }),
    schemas: schemaHandlers(
      schemaChanges({
        ...services,
        followSchemas: followSchemas(services),
        workflowsBrokenBy: (ctx, change) => workflowsBrokenBy(services, ctx, change),
      }),
      workspaceDescriber(services.addresses),
    ),
    records: recordHandlers(dependents),
    relationships: relationshipHandlers(services.indexes),
    resources: resourceHandlers(services.indexes),
    lists: listHandlers(services.indexes, { removed: (ctx, id) => stopForList(services, ctx, id) }),
    search: searchHandlers(services.indexes),
    imports: importHandlers(services),
    exports: exportHandlers(services),
    sql: sqlHandlers(),
    comments: commentHandlers(findHolder),
    attachments: attachmentHandlers(services.storage),
    access: accessHandlers(
      (object) => accessTargets.get(object) ?? recordTargets,
      () => services.memberships.forget(),
    ),
    activities: activityHandlers,
    meetings: meetingHandlers({ ...services, outbound: services.webhooks.outbound, dependents }),
    webhooks: webhookHandlers(services.webhooks),
    workflows: workflowHandlers({ ...services, keys: services.webhooks.keys }),
    campaigns: campaignHandlers({ plugins: services.plugins, indexes: services.indexes }),
    agents: agentHandlers({ ...services, keys: services.webhooks.keys }),
    inboundWebhooks: inboundHandlers({ keys: services.webhooks.keys, kinds: services.kinds }),
    emails: emailHandlers(services),
    suppressions: suppressionHandlers,
    events: eventHandlers(services.hub),
    limits: limitHandlers(services.rateLimiter),
    requests: requestHandlers(services.findRequests),
    settings: settingHandlers(
      { time_zone: replanHeartbeats },
      { closedWonDealStage: dealStageFault, closedLostDealStage: dealStageFault },
      services.webhooks.outbound,
    ),
    layouts: layoutHandlers,
    notifications: notificationHandlers({ sendsEmail: services.mailer !== undefined }),
  }) satisfies Modules<AppContract>
