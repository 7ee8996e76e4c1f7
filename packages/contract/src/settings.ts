import { z } from 'zod'
import { domain } from './endpoint.ts'
import { settingChange, settingKey, settingValue, workspaceSettings } from './setting.ts'
import { empty, silentQuery } from './shared.ts'

const collection = '/workspaces/{workspace}/settings'
const reading = { caller: 'any', scope: 'settings:read', method: 'GET' } as const
/** Only admins change settings (decisions on access). */
const changing = {
  caller: 'any',
  scope: 'settings:write',
  role: 'admin',
  path: collection,
  emits: ['setting.changed'],
  query: z.strictObject(silentQuery),
  response: empty,
} as const

/** Answers are plain: what existing clients read is not in JSON:API shape. */
export const settings = domain({
  list: {
    ...reading,
    path: collection,
    summary: 'List the settings of the workspace',
    description: 'Returns every setting with its value, or its default if it is not set.',
    response: workspaceSettings,
  },
  get: {
    ...reading,
    path: `${collection}/{key}`,
    summary: 'Get a setting',
    description: 'Returns the value of a setting, or its default if it is not set.',
    response: z.object({ value: settingValue }),
  },
  create: {
    ...changing,
    method: 'POST',
    status: 201,
    summary: 'Set a setting',
    description: 'Takes effect immediately. Setting the same value again changes nothing. Admins only.',
    body: settingChange,
    examples: { body: { key: 'time_zone', value: 'Europe/Berlin' } },
  },
  remove: {
    ...changing,
    method: 'DELETE',
    summary: 'Reset a setting',
    description: 'Resets a setting to its default. Admins only.',
    body: z.strictObject({ key: settingKey }),
    examples: { body: { key: 'time_zone' } },
  },
})
