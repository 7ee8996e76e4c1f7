import { firstSchema, type SchemaDocument, type StoredSchema } from '../model.ts'
import * as field from './properties.ts'

type Properties = SchemaDocument['properties']

const object = (
  title: string,
  singular: string,
  plural: string,
  properties: Properties,
  more: Partial<SchemaDocument> = {},
): SchemaDocument => ({
  title,
  type: 'object',
  xSvcNamespace: 'objects',
  xSvcLabel: { singular, plural },
  properties,
  xSvcAccess: { default: 'edit' },
  ...more,
})

const person = object('person', 'Person', 'People', {
  name: field.personName('Name'),
  email_addresses: field.collection('E-mail addresses', 'email_addresses', { xSvcUnique: true }),
  phone_numbers: field.collection('Phone numbers', 'phone_numbers'),
  job_title: field.text('Job title'),
  company_id: field.relationship('Company', 'many-to-one', 'company', 'people'),
  linkedin: field.url('LinkedIn'),
  location: field.location('Location'),
  description: field.longText('Description'),
  avatar_url: field.url('Avatar'),
  labels: field.collection('Labels', 'labels'),
  owner_id: field.userReference('Owner'),
  deals: field.relationship('Deals', 'many-to-many', 'deal', 'people'),
  tasks: field.relationship('Tasks', 'one-to-many', 'task', 'person_id'),
  meetings: field.relationship('Meetings', 'many-to-many', 'meeting', 'people'),
})

const company = object('company', 'Company', 'Companies', {
  name: field.text('Name', { xSvcPrimary: true }),
  domains: field.collection('Domains', 'domains', { xSvcUnique: true }),
  industry: field.text('Industry'),
  employee_count: field.number('Employees'),
  annual_revenue: field.currency('Annual revenue'),
  location: field.location('Location'),
  linkedin: field.url('LinkedIn'),
  description: field.longText('Description'),
  labels: field.collection('Labels', 'labels'),
  owner_id: field.userReference('Owner'),
  people: field.relationship('People', 'one-to-many', 'person', 'company_id'),
  deals: field.relationship('Deals', 'one-to-many', 'deal', 'company_id'),
  tasks: field.relationship('Tasks', 'one-to-many', 'task', 'company_id'),
})

const deal = object('deal', 'Deal', 'Deals', {
  name: field.text('Name', { xSvcPrimary: true, xSvcUnique: true }),
  stage: field.select('Stage', ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']),
  amount: field.currency('Amount'),
  currency: field.text('Currency'),
  close_date: field.date('Close date'),
  company_id: field.relationship('Company', 'many-to-one', 'company', 'deals'),
  owner_id: field.userReference('Owner'),
  description: field.longText('Description'),
  labels: field.collection('Labels', 'labels'),
  people: field.relationship('People', 'many-to-many', 'person', 'deals'),
  tasks: field.relationship('Tasks', 'one-to-many', 'task', 'deal_id'),
})

const task = object(
  'task',
  'Task',
  'Tasks',
  {
    title: field.text('Title', { xSvcPrimary: true }),
    description: field.richText('Description'),
    status: field.select('Status', ['To Do', 'In Progress', 'Done', 'Canceled']),
    priority: field.select('Priority', ['Urgent', 'High', 'Medium', 'Low']),
    due_date: field.date('Due date'),
    assignee_id: field.userReference('Assignee'),
    person_id: field.relationship('Person', 'many-to-one', 'person', 'tasks'),
    company_id: field.relationship('Company', 'many-to-one', 'company', 'tasks'),
    deal_id: field.relationship('Deal', 'many-to-one', 'deal', 'tasks'),
    meeting_id: field.relationship('Meeting', 'many-to-one', 'meeting', 'tasks'),
  },
  { required: ['title'] },
)

/** The values of a meeting's visibility. */
const visibilities = ['default', 'private', 'workspace'] as const

const meeting = object(
  'meeting',
  'Meeting',
  'Meetings',
  {
    title: field.text('Title', { xSvcPrimary: true }),
    start: field.timestamp('Start'),
    end: field.timestamp('End'),
    all_day: field.checkbox('All day'),
    participants: field.collection('Participants', 'participants'),
    recording_enabled: field.flag('Recording'),
    visibility: field.choice(
      'Visibility',
      visibilities,
      'Access to the meeting: `default` follows the access rules of meetings, `private` allows only its owner, ' +
        'people it is shared with and admins to read it, `workspace` every member.',
    ),
    summary: field.longText('Summary'),
    notes: field.richText('Notes', { readOnly: true }),
    event_id: field.text('Calendar event'),
    ical_uid: field.text('iCalendar UID'),
    people: field.relationship('People', 'many-to-many', 'person', 'meetings'),
    tasks: field.relationship('Tasks', 'one-to-many', 'task', 'meeting_id'),
  },
  { required: ['visibility', 'recording_enabled'], xSvcAccess: { default: 'none' } },
)

const message = object(
  'message',
  'Message',
  'Messages',
  {
    subject: field.text('Subject', { xSvcPrimary: true }),
    sent_at: field.timestamp('Sent'),
    from: field.text('From'),
    to: field.collection('To', 'participants'),
  },
  { xSvcAccess: { default: 'none' }, readOnly: true },
)

const user = object(
  'user',
  'User',
  'Users',
  {
    name: field.text('Name', { xSvcPrimary: true }),
    email: field.text('E-mail'),
    roles: field.collection('Roles', 'multi_select', { enum: ['admin', 'member', 'viewer'] }),
  },
  { xSvcAccess: { default: 'view' }, readOnly: true },
)

/** Seeded into every workspace, in this order. */
export const builtinObjects: readonly SchemaDocument[] = [person, company, deal, task, meeting, message, user]

/** The members of a workspace as records, as every workspace has them. */
export const userSchema: StoredSchema = firstSchema(user)
