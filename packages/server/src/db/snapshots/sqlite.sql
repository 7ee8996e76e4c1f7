CREATE TABLE access_grant (
    workspace_id text not null,
    record_id text not null,
    grantee_id text not null,
    grantee_type text not null,
    id text not null,
    object text not null,
    level integer not null,
    created_at integer not null,
    created_by text not null,
    updated_at integer,
    updated_by text,
    primary key (workspace_id, record_id, grantee_id)
  ) strict, without rowid;

CREATE INDEX access_grant_grantee on access_grant (workspace_id, grantee_id, object, record_id);

CREATE TABLE activity (
    workspace_id text not null,
    record_id text not null,
    position integer not null,
    place integer not null,
    id text not null,
    type text not null,
    object text not null,
    actor_id text not null,
    actor_entity text not null,
    source_id text,
    diff text not null,
    began_at integer not null,
    created_at integer not null,
    run_id text,
    list_id text,
    on_behalf_of text,
    primary key (workspace_id, record_id, position, place)
  ) strict;

CREATE INDEX activity_event on activity (workspace_id, id);

CREATE INDEX activity_of_list on activity (workspace_id, record_id, list_id) where list_id is not null;

CREATE INDEX activity_of_run on activity (workspace_id, run_id, created_at, record_id, position, place)
    where run_id is not null;

CREATE INDEX activity_schema on activity (workspace_id, began_at, record_id, position) where object = 'schema';

CREATE TABLE agent_undo (
    workspace_id text not null,
    run_id text not null,
    undo_state text not null,
    actor text not null,
    silent integer not null,
    undone_to text,
    events_seen integer not null,
    events_reverted integer not null,
    conflicts text not null,
    conflict_count integer not null,
    created_at integer not null,
    created_by text not null,
    ended_at integer,
    primary key (workspace_id, run_id)
  ) strict;

CREATE TABLE api_key (
    workspace_id text not null,
    id text not null,
    name text not null,
    key_prefix text not null,
    key_hash text not null,
    scopes text not null,
    actor_type text not null,
    user_id text,
    created_by text,
    expires_at integer,
    created_at integer not null,
    updated_at integer not null,
    last_used_at integer,
    primary key (workspace_id, id)
  ) strict;

CREATE UNIQUE INDEX api_key_hash on api_key (key_hash);

CREATE TABLE app_user (
    id text not null,
    email text not null,
    email_key text not null,
    name text,
    created_at integer not null,
    last_active_at integer,
    unverified_since integer,
    primary key (id)
  ) strict;

CREATE UNIQUE INDEX app_user_email_key on app_user (email_key);

CREATE TABLE async_task (
    workspace_id text not null,
    id text not null,
    user_id text not null,
    type text not null,
    progress integer not null,
    total integer,
    metadata text not null,
    queued_at integer not null,
    started_at integer,
    completed_at integer,
    failed_at integer,
    error_code text,
    updated_at integer not null,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX async_task_queued on async_task (queued_at);

CREATE TABLE attachment (
    workspace_id text not null,
    id text not null,
    record_id text not null,
    source text not null,
    message_ref text,
    sent_by text,
    created_at integer not null,
    created_by text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX attachment_record on attachment (workspace_id, record_id, id);

CREATE TABLE calendar_entry (
    workspace_id text not null,
    id text not null,
    meeting_id text not null,
    sequence integer not null default 0,
    stamped_at integer,
    called_off_at integer,
    uid text,
    original integer,
    series_sequence integer,
    series_stamped_at integer,
    primary key (workspace_id, id)
  ) strict, without rowid;

CREATE INDEX calendar_entry_meeting on calendar_entry (workspace_id, meeting_id);

CREATE INDEX calendar_entry_uid on calendar_entry (workspace_id, uid);

CREATE TABLE campaign (
    workspace_id text not null,
    workflow_id text not null,
    sending text not null,
    ends_on_reply integer not null,
    enrolment_task_id text,
    primary key (workspace_id, workflow_id)
  ) strict, without rowid;

CREATE TABLE campaign_day (
    workspace_id text not null,
    workflow_id text not null,
    day text not null,
    taken integer not null,
    primary key (workspace_id, workflow_id, day)
  ) strict, without rowid;

CREATE TABLE campaign_domain (
    workspace_id text not null,
    workflow_id text not null,
    domain text not null,
    begins_at real not null,
    primary key (workspace_id, workflow_id, domain)
  ) strict, without rowid;

CREATE TABLE campaign_place (
    workspace_id text not null,
    run_id text not null,
    step_key text not null,
    day text not null,
    due_at integer not null,
    throttled integer not null,
    primary key (workspace_id, run_id, step_key)
  ) strict, without rowid;

CREATE TABLE campaign_recipient (
    workspace_id text not null,
    workflow_id text not null,
    person_id text not null,
    run_id text not null,
    delivery text not null,
    run_status text not null,
    current_block text,
    resume_at integer,
    exit_plugin text,
    exit_node text,
    engagement integer not null,
    has_unsubscribed integer not null,
    last_opened_at integer,
    last_clicked_at integer,
    last_replied_at integer,
    hidden integer not null,
    started_at integer,
    ended_at integer,
    created_at integer not null,
    updated_at integer not null,
    address text,
    last_sent_at integer,
    primary key (workspace_id, workflow_id, person_id)
  ) strict, without rowid;

CREATE INDEX campaign_recipient_by_delivery on campaign_recipient (workspace_id, workflow_id, hidden,
    delivery, created_at, person_id);

CREATE INDEX campaign_recipient_engaged on campaign_recipient (workspace_id, workflow_id, hidden,
    created_at, person_id, engagement) where engagement > 0;

CREATE INDEX campaign_recipient_in_order on campaign_recipient (workspace_id, workflow_id, hidden,
    created_at, person_id);

CREATE INDEX campaign_recipient_of_address on campaign_recipient (workspace_id, workflow_id, address) where
    address is not null;

CREATE INDEX campaign_recipient_of_person on campaign_recipient (workspace_id, person_id);

CREATE INDEX campaign_recipient_of_run on campaign_recipient (workspace_id, run_id);

CREATE TABLE comment (
    workspace_id text not null,
    id text not null,
    record_id text not null,
    object text not null,
    message text not null,
    mentions text not null,
    created_at integer not null,
    created_by text not null,
    updated_at integer,
    updated_by text,
    attachment_ids text not null default '[]',
    author text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX comment_record on comment (workspace_id, record_id, id);

CREATE TABLE data_export (
       workspace_id text not null,
       id text not null,
       kind text not null,
       options text not null,
       actor text not null,
       state text not null,
       file_name text not null,
       rows_done integer not null,
       size_bytes integer,
       error text,
       created_at integer not null,
       created_by text not null,
       started_at integer,
       ended_at integer,
       primary key (workspace_id, id)
     ) strict;

CREATE INDEX export_ended on data_export (ended_at);

CREATE TABLE deleted_list (
    workspace_id text not null,
    id text not null,
    visibility integer not null,
    owner_id text,
    primary key (workspace_id, id)
  ) strict, without rowid;

CREATE TABLE email (
    workspace_id text not null,
    id text not null,
    letter_key text not null,
    email_state text not null,
    in_sequence integer not null,
    person_id text,
    workflow_id text,
    run_id text,
    block text not null,
    actor text not null,
    recipients text not null,
    left_out text not null,
    sender text not null,
    message_id text not null,
    subject text not null,
    body_text text not null,
    body_html text,
    failure_detail text,
    bounce text,
    opens integer not null,
    clicks integer not null,
    created_at integer not null,
    sent_at integer,
    opened_at integer,
    clicked_at integer,
    replied_at integer,
    bounced_at integer,
    unsubscribed_at integer,
    updated_at integer not null,
    files text not null default '[]',
    machine_opens integer not null default 0,
    machine_clicks integer not null default 0,
    machine_opened_at integer,
    machine_clicked_at integer,
    reached text not null default '[]',
    primary key (workspace_id, id)
  ) strict;

CREATE UNIQUE INDEX email_key on email (workspace_id, letter_key);

CREATE INDEX email_person on email (workspace_id, person_id, created_at, id);

CREATE INDEX email_run on email (workspace_id, run_id);

CREATE INDEX email_time on email (workspace_id, created_at, id);

CREATE INDEX email_workflow on email (workspace_id, workflow_id, created_at, id);

CREATE TABLE email_day (
    workspace_id text not null,
    day text not null,
    taken integer not null,
    primary key (workspace_id)
  ) strict, without rowid;

CREATE TABLE event (
    workspace_id text not null,
    sequence integer not null,
    id text not null,
    type text not null,
    object text,
    record_id text,
    actor text not null,
    silent integer not null,
    payload text not null,
    created_at integer not null,
    primary key (workspace_id, sequence)
  ) strict;

CREATE INDEX event_record on event (workspace_id, record_id, sequence);

CREATE TABLE event_cursor (
    workspace_id text not null,
    consumer text not null,
    sequence integer not null,
    primary key (workspace_id, consumer)
  ) strict, without rowid;

CREATE TABLE event_head (
    workspace_id text not null,
    last_sequence integer not null,
    primary key (workspace_id)
  ) strict, without rowid;

CREATE TRIGGER field_gram_deleted after delete on field_gram when old.id <= (select indexed_id from gram_index_head) begin
    insert into gram_index (gram_index, rowid, grams) values ('delete', old.id, old.grams);
  end;

CREATE TABLE field_gram (
    id integer primary key autoincrement,
    workspace_id text not null,
    field text not null,
    record_id text not null,
    created_at integer not null,
    is_known integer not null,
    known_text text not null,
    grams text not null
  ) strict;

CREATE UNIQUE INDEX field_gram_record on field_gram (workspace_id, record_id, field);

CREATE TABLE field_index_state (
    workspace_id text not null,
    object text not null,
    field text not null,
    kind text not null,
    state text not null,
    filled integer not null,
    total integer not null,
    until_at integer,
    filled_at integer,
    filled_id text,
    requested_at integer not null,
    ready_at integer,
    last_used_at integer,
    primary key (workspace_id, object, field, kind)
  ) strict, without rowid;

CREATE TABLE field_number (
    workspace_id text not null,
    field text not null,
    is_null integer not null,
    number_value real not null,
    record_id text not null,
    visibility integer not null,
    primary key (workspace_id, field, is_null, number_value, record_id)
  ) strict, without rowid;

CREATE INDEX field_number_record on field_number (workspace_id, record_id);

CREATE TABLE field_text (
    workspace_id text not null,
    field text not null,
    is_null integer not null,
    text_value text not null,
    record_id text not null,
    visibility integer not null,
    primary key (workspace_id, field, is_null, text_value, record_id)
  ) strict, without rowid;

CREATE INDEX field_text_record on field_text (workspace_id, record_id);

CREATE TABLE file (
    workspace_id text not null,
    id text not null,
    subject_id text not null,
    name text not null,
    upload_key text not null,
    size_bytes integer,
    mime_type text,
    created_at integer not null,
    discard_at integer,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX file_discard on file (discard_at, workspace_id) where discard_at is not null;

CREATE VIRTUAL TABLE gram_index using fts5 (grams, content = 'field_gram', content_rowid = 'id', tokenize = 'ascii', detail = none, columnsize = 0);

CREATE TABLE 'gram_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'gram_index_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE gram_index_head (indexed_id integer not null) strict;

CREATE TABLE 'gram_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE horizon (
    workspace_id text not null,
    told_until integer not null,
    primary key (workspace_id)
  ) strict, without rowid;

CREATE TABLE idempotency (
    workspace_id text not null,
    actor_id text not null,
    endpoint text not null,
    idempotency_key text not null,
    request_hash text not null,
    status integer,
    body text,
    headers text,
    created_at integer not null,
    primary key (workspace_id, actor_id, endpoint, idempotency_key)
  ) strict;

CREATE INDEX idempotency_created on idempotency (created_at);

CREATE TABLE import_reject (
    workspace_id text not null,
    import_id text not null,
    line integer not null,
    cells text not null,
    reason text not null,
    primary key (workspace_id, import_id, line)
  ) strict;

CREATE TABLE import_revert (
    workspace_id text not null,
    import_id text not null,
    undo_state text not null,
    actor text not null,
    silent integer not null,
    undone_to text,
    events_seen integer not null,
    events_reverted integer not null,
    conflicts text not null,
    conflict_count integer not null,
    created_at integer not null,
    created_by text not null,
    ended_at integer,
    primary key (workspace_id, import_id)
  ) strict;

CREATE TABLE invitation (
    workspace_id text not null,
    id text not null,
    email text not null,
    email_key text not null,
    role text not null,
    name text,
    token_hash text not null,
    created_at integer not null,
    created_by text not null,
    sent_at integer not null,
    mailed integer not null default false,
    ended_at integer,
    primary key (workspace_id, id)
  ) strict;

CREATE UNIQUE INDEX invitation_email on invitation (workspace_id, email_key);

CREATE UNIQUE INDEX invitation_token on invitation (token_hash);

CREATE TABLE job (
    workspace_id text not null,
    id text not null,
    kind text not null,
    job_key text,
    payload text not null,
    run_at integer not null,
    scheduled_at integer not null,
    wanted_at integer,
    attempt integer not null,
    failures integer not null,
    leased_at integer,
    leased_by text,
    last_error text,
    created_at integer not null,
    ended_at integer,
    watched_ms integer,
    losses integer not null default 0,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX job_due on job (run_at) where ended_at is null and leased_by is null;

CREATE INDEX job_ended on job (ended_at) where ended_at is not null;

CREATE UNIQUE INDEX job_keyed on job (workspace_id, kind, job_key) where ended_at is null and job_key is not null;

CREATE INDEX job_leased on job (workspace_id, id) where leased_by is not null;

CREATE INDEX job_scheduled on job (scheduled_at) where ended_at is null and leased_by is null;

CREATE INDEX job_turn on job (workspace_id, run_at, id) where ended_at is null and leased_by is null;

CREATE TABLE kontor_migration (
  number integer not null,
  name text not null,
  applied_at integer not null, rolling integer not null default 0,
  primary key (number)
) strict;

CREATE TABLE layout (
    workspace_id text not null,
    layout_key text not null,
    tree text not null,
    created_at integer not null,
    created_by text not null,
    updated_at integer not null,
    updated_by text not null,
    primary key (workspace_id, layout_key)
  ) strict;

CREATE TABLE link (
    workspace_id text not null,
    relationship text not null,
    from_id text not null,
    to_id text not null,
    hidden_by text,
    primary key (workspace_id, relationship, from_id, to_id)
  ) strict, without rowid;

CREATE INDEX link_hidden on link (workspace_id, hidden_by) where hidden_by is not null;

CREATE INDEX link_reverse on link (workspace_id, relationship, to_id, hidden_by, from_id);

CREATE TABLE list (
    workspace_id text not null,
    id text not null,
    object text not null,
    visibility integer not null,
    owner_id text,
    version integer not null,
    title text not null,
    emoji text not null,
    description text not null,
    type text not null,
    state text not null,
    layout text not null,
    options text not null,
    query text,
    query_version_id text,
    rank real not null,
    applied_version_id text,
    evaluation_status text not null,
    evaluation_started_at integer,
    evaluated_at integer,
    created_at integer not null,
    created_by text not null,
    updated_at integer not null,
    updated_by text not null,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX list_object on list (workspace_id, object, type, state);

CREATE TABLE list_entry (
    workspace_id text not null,
    list_id text not null,
    record_id text not null,
    hidden integer not null,
    primary key (workspace_id, list_id, record_id)
  ) strict, without rowid;

CREATE INDEX list_entry_record on list_entry (workspace_id, record_id);

CREATE TABLE meeting_recording (
    workspace_id text not null,
    id text not null,
    meeting_id text not null,
    source text not null,
    transcript text not null,
    ends_after_ms integer not null,
    created_at integer not null,
    created_by text not null,
    updated_at integer not null,
    upload_id text,
    media_id text,
    state text not null default 'done',
    detail text,
    told text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX meeting_recording_meeting on meeting_recording (workspace_id, meeting_id, id);

CREATE TABLE membership (
    workspace_id text not null,
    user_id text not null,
    role text not null,
    created_at integer not null,
    primary key (workspace_id, user_id)
  ) strict, without rowid;

CREATE INDEX membership_user on membership (user_id);

CREATE TABLE merged_record (
    workspace_id text not null,
    merged_id text not null,
    target_id text not null,
    owner_id text,
    merged_by text,
    primary key (workspace_id, merged_id)
  ) strict, without rowid;

CREATE INDEX merged_record_target on merged_record (workspace_id, target_id);

CREATE TABLE notification (
    workspace_id text not null,
    id text not null,
    user_id text not null,
    notification_kind text not null,
    object text not null,
    record_id text not null,
    comment_id text,
    run_id text,
    actor text not null,
    read_at integer,
    created_at integer not null,
    digested_at integer,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX notification_age on notification (created_at);

CREATE INDEX notification_of_record on notification (workspace_id, record_id);

CREATE INDEX notification_of_user on notification (workspace_id, user_id, id);

CREATE INDEX notification_unread on notification (workspace_id, user_id, id) where read_at is null;

CREATE TABLE notification_preference (
    workspace_id text not null,
    user_id text not null,
    muted text not null,
    digest text not null,
    digest_hour integer not null,
    next_digest_at integer,
    last_digest_at integer,
    primary key (workspace_id, user_id)
  ) strict;

CREATE INDEX notification_digest on notification_preference (next_digest_at) where next_digest_at is not null;

CREATE TABLE oauth_artifact (
    model text not null,
    id_hash text not null,
    grant_id text,
    user_id text,
    client_id text,
    sealed text not null,
    expires_at integer not null,
    consumed_at integer,
    workspace_id text,
    primary key (model, id_hash)
  ) strict;

CREATE INDEX oauth_artifact_expiry on oauth_artifact (expires_at);

CREATE INDEX oauth_artifact_grant on oauth_artifact (grant_id) where grant_id is not null;

CREATE INDEX oauth_artifact_person on oauth_artifact (user_id, client_id) where user_id is not null;

CREATE TABLE oauth_client (
    id text not null,
    name text not null,
    client_type text not null,
    secret_hash text,
    redirect_uris text not null,
    created_at integer not null,
    workspace_id text,
    scopes text,
    self_registered integer not null default false,
    created_by text,
    primary key (id)
  ) strict;

CREATE UNIQUE INDEX oauth_client_name on oauth_client (workspace_id, name) where workspace_id is not null;

CREATE INDEX oauth_client_self on oauth_client (created_at) where self_registered;

CREATE TABLE oauth_consent (
    user_id text not null,
    client_id text not null,
    workspace_id text not null,
    scopes text not null,
    created_at integer not null,
    updated_at integer not null,
    last_used_at integer,
    primary key (user_id, client_id, workspace_id)
  ) strict;

CREATE TABLE outbox (
    workspace_id text not null,
    written_us integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    id text not null,
    type text not null,
    object text,
    record_id text,
    actor text not null,
    silent integer not null,
    payload text not null,
    created_at integer not null,
    primary key (workspace_id, written_us, id)
  ) strict;

CREATE TABLE passkey (
    user_id text not null,
    credential_id text not null,
    public_key text not null,
    uses integer not null,
    name text not null,
    created_at integer not null,
    last_used_at integer,
    primary key (user_id, credential_id)
  ) strict, without rowid;

CREATE TABLE password (
    user_id text not null,
    password_hash text not null,
    updated_at integer not null,
    primary key (user_id)
  ) strict, without rowid;

CREATE TABLE password_link (
    token_hash text not null,
    user_id text not null,
    created_at integer not null,
    verifies integer not null default false,
    primary key (token_hash)
  ) strict, without rowid;

CREATE INDEX password_link_created on password_link (created_at);

CREATE INDEX password_link_user on password_link (user_id);

CREATE TABLE provider_identity (
       issuer text not null,
       audience text not null,
       subject text not null,
       user_id text not null,
       created_at integer not null,
       primary key (issuer, audience, subject)
     ) strict, without rowid;

CREATE UNIQUE INDEX provider_identity_user on provider_identity (user_id, issuer, audience);

CREATE TABLE record (
    workspace_id text not null,
    id text not null,
    object text not null,
    visibility integer not null,
    owner_id text,
    version integer not null,
    created_at integer not null,
    created_by text,
    updated_at integer not null,
    updated_by text,
    deleted_at integer,
    deleted_by text,
    data text not null, feed_end text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX record_deleted on record (workspace_id, object, deleted_at, id) where deleted_at is not null;

CREATE INDEX record_expired on record (deleted_at) where deleted_at is not null;

CREATE INDEX record_live on record (workspace_id, object, created_at, id) where deleted_at is null;

CREATE INDEX record_owned on record (workspace_id, owner_id, object) where visibility = 0 and deleted_at is null;

CREATE INDEX record_private on record (workspace_id, object, owner_id) where visibility = -1 and deleted_at
    is null;

CREATE INDEX record_public on record (workspace_id, object, created_at, id) where visibility > 0 and
    deleted_at is null;

CREATE INDEX record_updated on record (workspace_id, object, updated_at, id) where deleted_at is null;

CREATE TABLE record_count (
    workspace_id text not null,
    object text not null,
    total integer not null,
    primary key (workspace_id, object)
  ) strict, without rowid;

CREATE TABLE record_count_delta (
    workspace_id text not null,
    object text not null,
    id text not null,
    delta integer not null,
    primary key (workspace_id, object, id)
  ) strict, without rowid;

CREATE TABLE record_import (
    workspace_id text not null,
    id text not null,
    object text not null,
    file_id text not null,
    file_name text not null,
    file_bytes integer not null,
    shape text not null,
    options text not null,
    actor text not null,
    silent integer not null,
    state text not null,
    position integer not null,
    line integer not null,
    rows_total integer,
    rows_done integer not null,
    created integer not null,
    updated integer not null,
    unchanged integer not null,
    rejected integer not null,
    error text,
    created_at integer not null,
    created_by text not null,
    started_at integer,
    ended_at integer, created_linked text not null default '{}',
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX import_ended on record_import (ended_at);

CREATE TABLE recovery_code (
    user_id text not null,
    code_hash text not null,
    primary key (user_id, code_hash)
  ) strict, without rowid;

CREATE TABLE retired_key (
    workspace_id text not null,
    key_id text not null,
    key_hash text not null,
    valid_until integer not null,
    primary key (workspace_id, key_id, key_hash)
  ) strict, without rowid;

CREATE UNIQUE INDEX retired_key_hash on retired_key (key_hash);

CREATE TABLE schema_queue (
    workspace_id text not null,
    task_id text not null,
    place integer not null,
    objects text not null,
    request text not null,
    created_at integer not null,
    primary key (workspace_id, task_id)
  ) strict;

CREATE TABLE schema_target (
    workspace_id text not null,
    object text not null,
    task_id text not null,
    target_state text not null,
    target text not null,
    target_keys text not null,
    target_version integer not null,
    gone integer not null,
    clearing text,
    created_at integer not null,
    primary key (workspace_id, object)
  ) strict;

CREATE INDEX schema_target_task on schema_target (workspace_id, task_id);

CREATE TABLE schema_version (
    workspace_id text not null,
    object text not null,
    version integer not null,
    document text not null,
    created_at integer not null,
    created_by text,
    keys text not null default '{}',
    deleted_at integer,
    primary key (workspace_id, object, version)
  ) strict;

CREATE TRIGGER search_document_changed after update of grams on search_document
            when old.grams is not null and new.grams is null begin
              insert into search_index (search_index, rowid, grams) values ('delete', old.id, old.grams);
            end;

CREATE TRIGGER search_document_deleted after delete on search_document when old.grams is not null begin
    insert into search_index (search_index, rowid, grams) values ('delete', old.id, old.grams);
  end;

CREATE TRIGGER search_document_indexed after update of grams on search_document when old.grams is null and new.grams is not null begin
    insert into search_index (rowid, grams) values (new.id, new.grams);
  end;

CREATE TABLE search_document (
    id integer primary key,
    workspace_id text not null,
    record_id text not null,
    object text not null,
    created_at integer not null,
    title_text text not null,
    document_text text not null,
    grams text
  ) strict;

CREATE UNIQUE INDEX search_document_record on search_document (workspace_id, record_id);

CREATE INDEX search_document_to_index on search_document (workspace_id, object, record_id) where grams is null;

CREATE VIRTUAL TABLE search_index using fts5 (grams, content = 'search_document', content_rowid = 'id', tokenize = 'ascii', detail = none, columnsize = 0);

CREATE TABLE 'search_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'search_index_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'search_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE second_factor (
    user_id text not null,
    sealed_secret text not null,
    sealed_with text not null,
    last_step integer not null,
    created_at integer not null,
    primary key (user_id)
  ) strict, without rowid;

CREATE TABLE session (
    id text not null,
    token_hash text not null,
    user_id text not null,
    user_agent text,
    created_at integer not null,
    last_seen_at integer not null,
    primary key (id)
  ) strict;

CREATE INDEX session_created on session (created_at);

CREATE INDEX session_of_user on session (user_id);

CREATE INDEX session_seen on session (last_seen_at);

CREATE UNIQUE INDEX session_token on session (token_hash);

CREATE TABLE sign_in_attempt (
    email_hash text not null,
    failures integer not null,
    began_at integer not null,
    primary key (email_hash)
  ) strict, without rowid;

CREATE INDEX sign_in_attempt_began on sign_in_attempt (began_at);

CREATE TABLE signing_key (
    kid text not null,
    private_jwk text not null,
    created_at integer not null,
    primary key (kid)
  ) strict;

CREATE TABLE suppression (
    workspace_id text not null,
    id text not null,
    address text not null,
    reason text not null,
    note text,
    email_id text,
    created_at integer not null,
    created_by text,
    person_id text,
    primary key (workspace_id, id)
  ) strict, without rowid;

CREATE UNIQUE INDEX suppression_address on suppression (workspace_id, address, coalesce(created_by, workspace_id));

CREATE INDEX suppression_person on suppression (workspace_id, person_id) where person_id is not null;

CREATE TABLE transcript_segment (
    workspace_id text not null,
    recording_id text not null,
    place integer not null,
    meeting_id text not null,
    speaker text,
    said text not null,
    searched text not null,
    starts_after_ms integer,
    primary key (workspace_id, recording_id, place)
  ) strict;

CREATE INDEX transcript_segment_meeting on transcript_segment (workspace_id, meeting_id);

CREATE TABLE unique_key (
    workspace_id text not null,
    field text not null,
    key_value text not null,
    record_id text not null,
    primary key (workspace_id, field, key_value)
  ) strict, without rowid;

CREATE INDEX unique_key_record on unique_key (workspace_id, record_id);

CREATE TABLE used_challenge (
    challenge_hash text not null,
    used_at integer not null,
    primary key (challenge_hash)
  ) strict, without rowid;

CREATE TABLE webhook (
    workspace_id text not null,
    id text not null,
    url text not null,
    events text not null,
    filter text,
    description text,
    ordered integer not null,
    enabled integer not null,
    disabled_reason text,
    disabled_at integer,
    failing_since integer,
    failures integer not null,
    paused_until integer,
    secrets text not null,
    secrets_key text not null,
    old_secret_until integer,
    actor text not null,
    owner_id text,
    created_at integer not null,
    created_by text not null,
    updated_at integer not null,
    warned_percent integer not null default 0,
    fifo integer not null default false,
    follows_from integer,
    sends_from integer,
    enabled_by text,
    primary key (workspace_id, id)
  ) strict;

CREATE TABLE webhook_attempt (
    workspace_id text not null,
    delivery_id text not null,
    number integer not null,
    at integer not null,
    duration_ms integer not null,
    request_headers text not null,
    response text,
    reason text,
    detail text,
    primary key (workspace_id, delivery_id, number)
  ) strict;

CREATE INDEX webhook_attempt_age on webhook_attempt (at);

CREATE TABLE webhook_delivery (
    workspace_id text not null,
    id text not null,
    webhook_id text not null,
    event_id text not null,
    event_type text not null,
    object text,
    record_id text,
    sequence integer not null,
    state text not null,
    due_at integer,
    attempts integer not null,
    tries integer not null,
    began_at integer,
    response_status integer,
    error text,
    created_at integer not null,
    ended_at integer,
    caused_by text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX webhook_delivery_age on webhook_delivery (created_at);

CREATE INDEX webhook_delivery_due on webhook_delivery (workspace_id, webhook_id, due_at, sequence) where
    state = 'pending';

CREATE INDEX webhook_delivery_list on webhook_delivery (workspace_id, webhook_id, created_at, id);

CREATE INDEX webhook_delivery_order on webhook_delivery (workspace_id, webhook_id, sequence) where state =
    'pending';

CREATE INDEX webhook_delivery_record on webhook_delivery (workspace_id, webhook_id, record_id, sequence)
    where state = 'pending';

CREATE TABLE workflow (
    workspace_id text not null,
    id text not null,
    name text not null,
    description text not null,
    type text not null,
    enabled integer not null,
    published_at integer,
    trigger_plugin text not null,
    version integer not null,
    graph_version integer not null,
    owner_id text not null,
    actor text not null,
    stopped_reason text,
    secret text,
    created_at integer not null,
    created_by text not null,
    updated_at integer not null,
    updated_by text not null,
    secret_key text,
    address_rotation integer not null default 0,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX workflow_enabled on workflow (workspace_id, trigger_plugin) where enabled;

CREATE TABLE workflow_arrival (
    workspace_id text not null,
    workflow_id text not null,
    sender_key text not null,
    created_at integer not null,
    primary key (workspace_id, workflow_id, sender_key)
  ) strict, without rowid;

CREATE INDEX workflow_arrival_age on workflow_arrival (workspace_id, created_at);

CREATE TABLE workflow_pace (
    workspace_id text not null,
    workflow_id text not null,
    begins_at real not null,
    primary key (workspace_id, workflow_id)
  ) strict, without rowid;

CREATE TABLE workflow_run (
    workspace_id text not null,
    id text not null,
    workflow_id text not null,
    graph_version integer not null,
    run_status text not null,
    revision integer not null,
    dry_run integer not null,
    object text,
    record_id text,
    event_id text,
    depth integer not null,
    trigger_state text not null,
    current_block text,
    block_progress text not null,
    resume_at integer,
    exit_plugin text,
    exit_node text,
    suppressed_reason text,
    failure text,
    started_at integer,
    ended_at integer,
    created_at integer not null,
    updated_at integer not null,
    is_enrolment integer not null default false,
    acting_id text,
    acting text,
    held_reason text,
    primary key (workspace_id, id)
  ) strict;

CREATE INDEX workflow_run_ended on workflow_run (workspace_id, ended_at) where ended_at is not null;

CREATE INDEX workflow_run_in_order on workflow_run (workspace_id, workflow_id, id, acting_id);

CREATE INDEX workflow_run_of_record on workflow_run (workspace_id, workflow_id, record_id, id) where
    record_id is not null;

CREATE INDEX workflow_run_of_workflow on workflow_run (workspace_id, workflow_id, run_status, id, acting_id);

CREATE TABLE workflow_step (
    workspace_id text not null,
    run_id text not null,
    number integer not null,
    block text not null,
    plugin text not null,
    step_status text not null,
    attempts integer not null,
    input text,
    output text,
    failure text,
    logs text not null,
    started_at integer not null,
    ended_at integer,
    unresolved text,
    output_bytes integer,
    contents_bytes integer,
    primary key (workspace_id, run_id, number)
  ) strict;

CREATE TABLE workflow_version (
    workspace_id text not null,
    workflow_id text not null,
    version integer not null,
    graph text not null,
    created_at integer not null,
    created_by text not null,
    primary key (workspace_id, workflow_id, version)
  ) strict;

CREATE TABLE workflow_wait (
    workspace_id text not null,
    run_id text not null,
    node text not null,
    is_exit integer not null,
    plugin text not null,
    record_id text,
    primary key (workspace_id, run_id, node)
  ) strict, without rowid;

CREATE INDEX workflow_wait_for on workflow_wait (workspace_id, plugin, record_id);

CREATE TABLE workspace (
    id text not null,
    organization_id text not null,
    slug text not null,
    name text not null,
    schema_epoch integer not null,
    created_at integer not null,
    settings text not null default '{}',
    inbound_rotation integer not null default 0,
    primary key (id)
  ) strict;

CREATE UNIQUE INDEX workspace_slug on workspace (slug);
