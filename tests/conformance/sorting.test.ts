import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { exampleInput, select } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

const described = ({ query }: Endpoint): string =>
  (query?.shape['sortOrder'] as z.ZodType | undefined)?.meta()?.description ?? ''

/** Names of columns, where an endpoint lists them. */
const columnsOf = (endpoint: Endpoint): string[] => /^By ([\w, ]+)\.$/.exec(described(endpoint))?.[1]?.split(', ') ?? []

const isShortList = (endpoint: Endpoint): boolean => columnsOf(endpoint).length > 0

test.for(select(isShortList))(
  '%s: sorts by every column that it names, either way, and by no other',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const columns = columnsOf(endpoint)
    for (const column of columns) {
      for (const dir of ['ASC', 'DESC'])
        expectSuccess(
          endpoint,
          await rest(app, name, endpoint, input, { query: { 'sortOrder[column]': column, 'sortOrder[dir]': dir } }),
        )
    }
    const outcome = await rest(app, name, endpoint, input, {
      query: { 'sortOrder[column]': 'toString', 'sortOrder[dir]': 'ASC' },
    })
    expectError(endpoint, outcome, 'unknown_field')
    expect(outcome.body.errors[0]).toMatchObject({
      source: { parameter: 'sortOrder[column]' },
      meta: { allowed: columns },
    })
  },
)

test('every short list is among them', () => {
  expect(
    select(isShortList)
      .map(([name]) => name)
      .toSorted(),
  ).toEqual([
    'agents.list',
    'agents.listRuns',
    'apiKeys.list',
    'apps.list',
    'asyncTasks.list',
    'attachments.list',
    'campaigns.list',
    'campaigns.listRecipients',
    'emails.list',
    'exports.list',
    'imports.list',
    'invitations.list',
    'lists.list',
    'lists.listOfObject',
    'meetings.listRecordings',
    'meetings.searchTranscripts',
    'notifications.list',
    'suppressions.list',
    'users.list',
    'webhooks.list',
    'webhooks.listDeliveries',
    'workflows.list',
    'workflows.listPlugins',
    'workflows.listRuns',
    'workflows.listVersions',
  ])
})
