import { isDeepStrictEqual } from 'node:util'
import {
  adminSettings,
  defaultSettings,
  settingDefinitions,
  settingKeys,
  settings,
  type SettingKey,
  type WorkspaceSettings,
} from '@kontor/contract'
import { isNameIn } from '../../lib/guards.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import { holdSettings, raiseEpoch, type OwnSettings } from '../schemas/index.ts'
import { findSettings, updateOwnSettings } from './store.ts'

/** Further effects of a changed setting, in its transaction, on results computed by the old value. */
export type SettingEffects = Readonly<Partial<Record<SettingKey, (ctx: WriteContext) => Promise<void>>>>

/** Checks of values that depend on the workspace; each returns what is wrong with a value. */
export type SettingChecks = Readonly<
  Partial<Record<SettingKey, (ctx: WorkspaceReadContext, value: unknown) => Promise<string | undefined>>>
>

export const settingHandlers = (
  effects: SettingEffects,
  checks: SettingChecks,
  outbound: Pick<OutboundClient, 'faultOf'>,
) =>
  implement(settings, {
    list: async (ctx) => ({ body: shownTo(ctx, await findSettings(ctx.tx, ctx.workspace.workspaceId)) }),

    async get(ctx, { key }) {
      if (!isNameIn(settingDefinitions, key))
        throw ctx.fail('not_found', {
          detail: `There is no setting "${key.slice(0, 64)}". The settings are ${settingKeys.join(', ')}.`,
          meta: { allowed: settingKeys },
        })
      return { body: { value: shownTo(ctx, await findSettings(ctx.tx, ctx.workspace.workspaceId))[key] } }
    },

    async create(ctx, { body: { key, value } }) {
      const unsendable = key === 'chat_webhook_url' && value !== null ? outbound.faultOf(value)?.message : undefined
      const detail = unsendable ?? (await checks[key]?.(ctx, value))
      if (detail !== undefined) throw ctx.fail('invalid_body', { detail, source: { pointer: '/value' } })
      await change(ctx, effects, key, (own) => ({ ...own, [key]: value }))
      return { body: {} }
    },

    async remove(ctx, { body: { key } }) {
      await change(ctx, effects, key, ({ [key]: _removed, ...rest }) => rest)
      return { body: {} }
    },
  })

/** The settings that only admins see, as others see them. */
const hidden = Object.fromEntries([...adminSettings].map((key) => [key, defaultSettings[key]]))

/** Returns the settings as a member sees them: those for admins only have their defaults. */
const shownTo = ({ workspace }: WorkspaceReadContext, all: WorkspaceSettings): WorkspaceSettings =>
  workspace.role === 'admin' ? all : { ...all, ...hidden }

/** Changes a setting, and tells of it where another value is in force afterwards. */
async function change(
  ctx: WriteContext,
  effects: SettingEffects,
  key: SettingKey,
  changed: (own: OwnSettings) => OwnSettings,
): Promise<void> {
  const { workspaceId } = ctx.workspace
  const before = await holdSettings(ctx)
  const after = changed(before)
  if (isDeepStrictEqual(before, after)) return
  await updateOwnSettings(ctx.tx, workspaceId, after)
  await raiseEpoch(ctx.tx, workspaceId)
  const [previous, value] = [before, after].map((own) => ({ ...defaultSettings, ...own })[key])
  if (value === undefined || previous === undefined || value === previous) return
  const isSecret = adminSettings.has(key)
  await effects[key]?.(ctx)
  await ctx.emit([
    {
      type: 'setting.changed',
      object: 'workspace',
      recordId: workspaceId,
      payload: isSecret ? { key, value: null, previous_value: null } : { key, value, previous_value: previous },
    },
  ])
}
