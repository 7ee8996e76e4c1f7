import { exampleIds } from '@kontor/contract'
import type { Reaction, Stage } from './stage.ts'

/** A campaign whose readers have done all that readers do, and one that is paused. */
export async function makeCampaigns(stage: Stage): Promise<void> {
  const { data } = await stage.as('admin')('resources.list', { object: 'person', page: { limit: readersMax } })
  const people = data.map(({ id }) => id)
  await makeInvitation(stage, people)
  await makePaused(stage, people.slice(0, pausedReaders))
}

async function makeInvitation(stage: Stage, people: readonly string[]): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.campaign)
  await admin('campaigns.create', { body: invitesReaders })
  await admin('campaigns.start', { campaignId: exampleIds.campaign })
  const items = [...new Set([exampleIds.person, ...people])]
  const enrolled = await admin('campaigns.enrol', { campaignId: exampleIds.campaign, body: { items } })
  const readers = enrolled.data.filter(({ status }) => status === 'enrolled')
  for (const [index, { id: personId, workflow_run_id: runId }] of readers.entries())
    for (const kind of habits[index % habits.length] ?? [])
      await stage.engage({ campaignId: exampleIds.campaign, personId, runId }, kind)
}

async function makePaused(stage: Stage, items: readonly string[]): Promise<void> {
  const admin = stage.as('admin')
  const { data } = await admin('campaigns.create', { body: asksForReviews })
  await admin('campaigns.start', { campaignId: data.id })
  await admin('campaigns.enrol', { campaignId: data.id, body: { items: [...items] } })
  await admin('campaigns.pause', { campaignId: data.id })
}

const readersMax = 40
const pausedReaders = 12

/** The actions of readers, one after another. */
const habits: readonly (readonly Reaction[])[] = [
  ['open'],
  ['open', 'click'],
  [],
  ['open', 'reply'],
  ['bounce'],
  ['open', 'open', 'click'],
  ['unsubscribe'],
  [],
]

const invitesReaders = {
  name: 'Invite to the conference',
  description: 'An invitation, and a reminder three days later to people who have not answered.',
  sending: { daily_cap: 200, window: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', until: '17:00' } },
  blocks: {
    invitation: {
      plugin_id: 'svc:send:email',
      input: {
        subject: 'Come to our conference',
        message: [
          {
            type: 'paragraph',
            content: [
              {
                type: 'text',
                text: 'Dear {{trigger.state.event.object.data.name.first_name}}, we meet in Berlin in May.',
              },
            ],
          },
        ],
        track_opens: true,
        track_clicks: true,
      },
      prev: 'trigger',
      next: 'rest',
    },
    rest: {
      plugin_id: 'general:delay:for',
      input: { amount: 3, unit: 'days' },
      prev: 'invitation',
      next: 'reminder',
    },
    reminder: {
      plugin_id: 'svc:send:email',
      input: { subject: 'There are seats left', text: 'We look forward to seeing you.', track_opens: true },
      prev: 'rest',
    },
  },
}

const asksForReviews = {
  name: 'Ask for reviews',
  description: 'It waits until the reviews of last year are answered.',
  blocks: {
    request: {
      plugin_id: 'svc:send:email',
      input: { subject: 'How do you like it?', text: 'We would like to hear what you think.', track_opens: true },
      prev: 'trigger',
    },
  },
}
