import { exampleIds, exampleKey, exampleObject, exampleRelationship } from '@kontor/contract'
import type { Stage, StagePerson } from './stage.ts'
import { makeAgents } from './agents.ts'
import { makeCampaigns } from './campaigns.ts'
import { defined } from './values.ts'
import { makeWorkflows } from './workflows.ts'

const isoTime = (ms: number): string => new Date(ms).toISOString()

const someone = (first: string, last: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name: { first_name: first, last_name: last },
  email_addresses: { items: [`${first.toLowerCase()}.${last.toLowerCase()}@example.com`] },
  ...more,
})

/** The demo workspace's own object and relationship. */
export async function makeObjects(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  await admin('schemas.create', { body: exampleObject })
  const body = { data: { type: 'relationship', attributes: exampleRelationship } }
  await admin('schemas.addRelationship', { entity: 'deal', body })
}

/** Everything that the examples in the OpenAPI document name, under the same ids. */
export async function makeExamples(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.company)
  await stage.createMany('admin', 'company', [
    {
      name: 'Remington Rand',
      industry: 'Information Technology',
      location: 'Philadelphia, Pennsylvania',
      domains: { items: ['remington.example.com'] },
    },
  ])
  stage.nextIds(exampleIds.person, exampleIds.spare, exampleIds.deleted, exampleIds.duplicate)
  await stage.createMany('admin', 'person', [
    {
      name: { first_name: 'Grace', last_name: 'Hopper' },
      email_addresses: { items: ['grace@example.com'] },
      job_title: 'Rear admiral',
      company_id: exampleIds.company,
    },
    someone('Ada', 'Byron', { job_title: 'Mathematician' }),
    someone('Charles', 'Babbage', { job_title: 'Engineer' }),
    someone('Grace', 'Murray', { job_title: 'Rear admiral', labels: { items: ['Duplicate'] } }),
  ])
  await admin('records.removeMany', { object: 'person', body: { items: [exampleIds.deleted] } })
  stage.nextIds(exampleIds.deal)
  await stage.createMany('admin', 'deal', [
    {
      name: 'Remington Rand: first order',
      stage: 'Proposal',
      amount: 42_000,
      currency: 'USD',
      company_id: exampleIds.company,
      owner_id: exampleIds.admin,
    },
  ])
  await stage.createMany('member', 'task', [
    {
      title: 'Call back about the offer',
      status: 'To Do',
      priority: 'High',
      person_id: exampleIds.person,
      deal_id: exampleIds.deal,
    },
  ])
  stage.nextIds(exampleIds.attachment)
  await attach(stage, 'admin', offer, offerFile)
  await makeMeeting(stage)
  await makeReview(stage)
  await makeLetter(stage)
  await makeLists(stage)
  const message = [
    { type: 'paragraph', content: [{ type: 'text', text: 'Met at the conference; asked for an offer.' }] },
  ]
  await admin('comments.create', {
    body: { _id: exampleIds.comment, entity: 'person', owner_id: exampleIds.person, message },
  })
  stage.nextIds(exampleIds.grant)
  const grant = { grantee_type: 'user', grantee_id: exampleIds.member, access_level: 'view' }
  await admin('access.create', {
    object: 'person',
    id: exampleIds.person,
    body: { data: { type: 'object-record-access', attributes: grant } },
  })
  stage.nextIds(exampleIds.objectGrant)
  await admin('access.createOfObject', {
    object: 'person',
    body: { data: { type: 'object-record-access', attributes: grant } },
  })
}

const offer = { object: 'person', id: exampleIds.person }
const offerFile = { name: 'offer.txt', text: 'Offer\n\nOne compiler that people can read: 42,000 USD.\n' }

type Placed = { readonly object: string; readonly id: string }
type File = { readonly name: string; readonly text: string }

/** Uploads a file for a record; what makes an attachment of it. */
async function upload(stage: Stage, person: StagePerson, to: Placed, { name, text }: File) {
  const { data } = await stage.as(person)('attachments.upload', { ...to, body: { name } })
  await stage.putFile(data.attachmentId, Buffer.from(text))
  return { key: data.key, attachmentId: data.attachmentId }
}

/** Attaches a file to a record. */
async function attach(stage: Stage, person: StagePerson, to: Placed, file: File): Promise<void> {
  const uploaded = await upload(stage, person, to, file)
  await stage.as(person)('attachments.create', { ...to, body: { name: file.name, ...uploaded } })
}

const wordsOf = (text: string, fromSecond: number) =>
  text.split(' ').map((word, index) => ({
    text: word,
    start_timestamp: fromSecond + index * 0.4,
    end_timestamp: fromSecond + index * 0.4 + 0.3,
  }))

/** A meeting that was recorded, with what was said in it. */
async function makeMeeting(stage: Stage): Promise<void> {
  stage.nextIds(exampleIds.meeting)
  const attributes = {
    title: 'Offer for the compiler',
    start: isoTime(stage.clock.now()),
    recording_enabled: true,
    participants: { items: ['grace@example.com'] },
  }
  await stage.createMany('admin', 'meeting', [attributes])
  stage.nextIds(exampleIds.recording)
  await stage.as('admin')('meetings.addTranscript', {
    meetingId: exampleIds.meeting,
    body: {
      transcript: [
        { speaker: 'Grace Hopper', words: wordsOf('We need a compiler that people can read.', 1) },
        { speaker: 'Ada Lovelace', words: wordsOf('Then we send you an offer by Friday.', 5) },
      ],
    },
  })
}

/** A letter to a person, and an address that wants none. */
async function makeLetter(stage: Stage): Promise<void> {
  stage.nextIds(exampleIds.email)
  await stage.write({
    personId: exampleIds.person,
    recipient: 'grace@example.com',
    subject: 'Our offer',
    paragraphs: ['Dear Grace,', 'thank you for your time. The offer follows by Friday.'],
  })
  stage.nextIds(exampleIds.suppression)
  await stage.as('admin')('suppressions.create', {
    body: { address: 'marvin@example.com', note: 'Requested on the telephone.' },
  })
}

/** The sound of that meeting, which has been uploaded and not been added yet. */
async function uploadMedia(stage: Stage): Promise<void> {
  const { data } = await stage.as('admin')('meetings.uploadMedia', {
    meetingId: exampleIds.meeting,
    body: { contentType: 'audio/mpeg', recordingId: exampleIds.recording },
  })
  await stage.putFile(defined(data.key.split('/').at(-1)), Buffer.from('No sound, but a file'))
}

const contacts = 'Name,E-mail\nMary Jackson,mary.jackson@example.com\nAnnie Easley,annie.easley@example.com\n'

/** A dry run of an import that was cancelled and reverted, and an upload that has not been imported. */
async function makeImport(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  const mapping = [
    { source: 'Name', field: 'name' },
    { source: 'E-mail', field: 'email_addresses' },
  ]
  stage.nextIds(exampleIds.importUpload)
  const { data } = await admin('imports.upload', { body: { name: 'contacts.csv' } })
  await stage.putFile(data.upload_id, Buffer.from(contacts))
  const other = await admin('imports.upload', { body: { name: 'contacts.csv' } })
  await stage.putFile(other.data.upload_id, Buffer.from(contacts))
  stage.nextIds(exampleIds.import)
  const body = {
    object: 'person',
    upload_id: other.data.upload_id,
    mapping,
    match_on: 'email_addresses',
    dry_run: true,
  }
  await admin('imports.create', { body })
  await admin('imports.cancel', { id: exampleIds.import })
  await admin('imports.revert', { id: exampleIds.import })
}

/** Another one, which the notetaker is not to record and of which there is a transcript. */
async function makeReview(stage: Stage): Promise<void> {
  const [meeting] = await stage.createMany('member', 'meeting', [
    {
      title: 'Review of the compiler',
      start: isoTime(stage.clock.now()),
      participants: { items: [{ email: 'grace@example.com', name: 'Grace Hopper' }, 'ada.byron@example.com'] },
    },
  ])
  const { id: meetingId } = defined(meeting)
  await stage.as('member')('meetings.stopRecording', { meetingId })
  await stage.as('member')('meetings.addTranscript', {
    meetingId,
    body: {
      transcript: [
        { speaker: 'Ada Byron', words: wordsOf('The compiler reads like English now.', 1) },
        { speaker: 'Grace Hopper', words: wordsOf('Good. Then the navy can read it too.', 4) },
      ],
    },
  })
  const minutes = { name: 'minutes.txt', text: 'Review\n\nThe compiler reads like English. The navy gets it next.\n' }
  await attach(stage, 'member', { object: 'meeting', id: meetingId }, minutes)
}

async function makeLists(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.list)
  await admin('lists.create', {
    object: 'person',
    body: { title: 'Pioneers', type: 'static', permission: 'workspace_edit' },
  })
  await admin('lists.addRecords', {
    object: 'person',
    list: exampleIds.list,
    body: { data: [exampleIds.person, exampleIds.spare].map((id) => ({ type: 'person', id })) },
  })
  await admin('lists.create', {
    object: 'person',
    body: {
      title: 'Senators',
      type: 'dynamic',
      permission: 'workspace',
      query: { sql: "SELECT * FROM person WHERE job_title = 'Senator' ORDER BY name" },
    },
  })
  const filter = {
    and: [
      { field: 'stage', op: 'Is', value: 'Negotiation' },
      { field: 'amount', op: 'Greater than', value: 50_000 },
    ],
  }
  await admin('lists.create', {
    object: 'deal',
    body: { title: 'Large deals in negotiation', type: 'dynamic', permission: 'workspace', query: { filter } },
  })
}

/** Recent things in any workspace: an open invitation, a key, a committed request, and a running task. */
export async function makeRecent(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.upload)
  await upload(stage, 'admin', offer, { ...offerFile, name: 'offer.pdf' })
  await uploadMedia(stage)
  await makeImport(stage)
  stage.nextIds(exampleIds.export)
  await admin('exports.create', { body: { kind: 'workspace' } })
  await makeWorkflows(stage)
  await makeCampaigns(stage)
  await makeAgents(stage)
  stage.nextIds(exampleIds.invitation)
  await admin('invitations.create', {
    body: { data: { type: 'invitation', attributes: { email: 'colleague@example.com', role: 'member' } } },
  })
  stage.nextIds(exampleIds.app)
  await admin('apps.create', {
    body: { name: 'Calendar sync', redirect_uris: ['https://calendar.example.com/callback'], scopes: ['records:read'] },
  })
  stage.nextIds(exampleIds.apiKey)
  await admin('apiKeys.create', {
    body: {
      data: { type: 'api-key', attributes: { name: 'Nightly import', scopes: ['records:read'], actor_type: 'user' } },
    },
  })
  await admin(
    'records.update',
    {
      object: 'person',
      id: exampleIds.person,
      body: { data: { type: 'person', attributes: { location: 'Arlington, Virginia' } } },
    },
    { idempotencyKey: exampleKey },
  )
  stage.nextIds(exampleIds.asyncTask)
  const name = { type: ['string', 'null'], title: 'Name', xSvcPrimary: true, maxLength: 300 }
  const document = {
    $id: 'https://crm.example.com/schemas/entities/c_committee',
    xSvcLabel: { singular: 'Committee', plural: 'Committees' },
    properties: { name, ...exampleObject.properties },
  }
  await admin('schemas.replace', { object: 'c_committee', body: document })
}
