import { exampleIds } from '@kontor/contract'
import type { EngagementKind } from '../modules/emails/index.ts'
import type { Stage } from './stage.ts'

/** A campaign that writes to people twice. */
export async function makeCampaigns(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.campaign)
  await admin('campaigns.create', { body: invitesReaders })
  await admin('campaigns.start', { campaignId: exampleIds.campaign })
  const { data } = await admin('resources.list', { object: 'person', page: { limit: readersMax } })
  const items = [...new Set([exampleIds.person, ...data.map(({ id }) => id)])]
  const enrolled = await admin('campaigns.enrol', { campaignId: exampleIds.campaign, body: { items } })
  const readers = enrolled.data.filter(({ status }) => status === 'enrolled').map(({ id }) => id)
  for (const [index, id] of readers.entries())
    for (const kind of habits[index % habits.length] ?? []) await stage.engage(exampleIds.campaign, id, kind)
}

const readersMax = 40

/** What readers have done, one after another. */
const habits: readonly (readonly EngagementKind[])[] = [
  ['open'],
  ['open', 'click'],
  [],
  ['open', 'reply'],
  [],
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
