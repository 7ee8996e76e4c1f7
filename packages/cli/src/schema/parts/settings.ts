import {
  adminSettings,
  defaultSettings,
  settingKeys,
  settings,
  workspaceFiles,
  type Input,
  type SettingKey,
} from '@kontor/contract'
import type { Connected } from '../../connection.ts'
import type { Content, Part } from './part.ts'

type SettingChange = Input<typeof settings.create>['body']

/** Variable of the environment that a file names in the place of a secret setting. */
export const secretVariable = (key: string): string => key.toUpperCase()

/** Returns whether the value of a setting is a secret, which no file contains. */
export const isSecretSetting = (key: string): boolean => adminSettings.has(key as SettingKey)

const set = async ({ rest, workspace }: Connected, { key, value }: Content): Promise<void> => {
  await rest.call(settings.create, { workspace, body: { key, value } as SettingChange })
}

/** All settings in one file; only those that differ from their defaults are pulled. */
export const settingsPart: Part = {
  name: 'settings',
  noun: 'setting',
  isOneFile: true,
  shape: workspaceFiles.settings,
  defaults: {},
  nameOf: ({ key }) => String(key),
  secretsOf: ({ key }) => (isSecretSetting(String(key)) ? ['value'] : []),
  list: async ({ rest, workspace }) => {
    const { body } = await rest.call(settings.list, { workspace })
    return settingKeys.map((key) => ({
      id: key,
      name: key,
      content: { key, value: body[key] },
      isUnmanaged: body[key] === defaultSettings[key],
    }))
  },
  create: set,
  update: (connected, _item, { content }) => set(connected, content),
  remove: async ({ rest, workspace }, { id }) => {
    await rest.call(settings.remove, { workspace, body: { key: id as SettingKey } })
  },
}
