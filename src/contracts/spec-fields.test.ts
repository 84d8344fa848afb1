import { expect, it } from 'vitest';
import type { z } from 'zod';
import { Transcription, TTS } from './dispatcher/audio.ts';
import { ChatCompletion, Completion, Embeddings, Rerank } from './dispatcher/inference.ts';
import { CustomDataset, Observability, ObservabilityRun } from './dispatcher/observability.ts';
import { Performance, PerformancePayload, PerformanceRun } from './dispatcher/performance.ts';
import { PlannedPod, PodPlan } from './dispatcher/pod-plan.ts';
import { PodInfo } from './dispatcher/pods.ts';
import { BotRecord } from './document-index/bots.ts';
import {
  CommandAccepted,
  CommandListEntry,
  CommandProgress,
  CommandStatus,
} from './document-index/commands.ts';
import { BotFilesForm, BotUrlsForm, DocumentForm, DocumentUrlForm } from './document-index/creation.ts';
import { DocumentStatus } from './document-index/documents.ts';
import { Answer, Citation, Question } from './document-index/questions.ts';
import { HTTPValidationError, ValidationError } from './errors.ts';
import { LayoutElement } from './hosted/layout-elements.ts';
import { LayoutForm } from './hosted/layout-request.ts';
import { Dataset } from './management/datasets.ts';
import { Deployment, DeployRequest, DeployStatus } from './management/deployments.ts';
import { FinetuneRequest, FinetuneStatus, Hyperparameters } from './management/finetuning.ts';
import { Job } from './management/jobs.ts';
import { ModelEntry } from './management/models.ts';
import { ChatCompletionResponse } from './openai/chat/chat-response.ts';
import { CompletionResponse } from './openai/completions.ts';
import { EmbeddingResponse } from './openai/embeddings.ts';
import { Model, ModelResponse } from './openai/models.ts';
import { RerankResponse } from './openai/rerank.ts';
import { Usage } from './openai/usage.ts';

/** Every field that the specification and the contract name, as they spell it. */
const fields: [string, z.ZodObject, string][] = [
  ['ChatCompletion', ChatCompletion, 'model messages tools tool_choice stream temperature max_tokens'],
  ['Completion', Completion, 'model prompt stream temperature max_tokens tool_choice'],
  ['Embeddings', Embeddings, 'model input encoding_format'],
  ['Rerank', Rerank, 'model query documents return_documents'],
  ['TTS', TTS, 'model input voice language'],
  ['Transcription', Transcription, 'file model stream'],
  ['Performance', Performance, 'pod_id payload'],
  [
    'PerformancePayload',
    PerformancePayload,
    'report_mode num_tasks num_runners generate_prompts num_prompts prompt_length max_tokens report_file experiment_name',
  ],
  [
    'PerformanceRun',
    PerformanceRun,
    'id pod_id experiment_name status started_at finished_at progress parameters metrics reports error',
  ],
  ['Observability', Observability, 'pod_id dataset num_examples custom_data'],
  ['CustomDataset', CustomDataset, 'question answers'],
  [
    'ObservabilityRun',
    ObservabilityRun,
    'id pod_id experiment_name status started_at finished_at progress parameters metrics reports error',
  ],
  [
    'PodInfo',
    PodInfo,
    'pod_id engine task status model_name served_model_name pod_address connections gpu_memory_utilization gpu_memory_used_mb gpu_utilization_pct cpu_utilization_pct ram_usage_gb requests_success_total requests_num_running requests_total_tokens requests_prompt_tokens requests_completion_tokens requests_latency_ms requests_payload_size time_per_output_token time_to_first_token restarted dead adapters kv_cache_usage max_connections version',
  ],
  [
    'PodPlan',
    PodPlan,
    'engine task model_name served_model_name adapter_ids gpu_id gpu_memory_utilization quantization dtype max_model_len replicas',
  ],
  ['PlannedPod', PlannedPod, 'id pod_id engine task model_name served_model_name status'],
  ['ModelResponse', ModelResponse, 'object data'],
  ['Model', Model, 'id object owned_by root created permission parent'],
  ['HTTPValidationError', HTTPValidationError, 'detail'],
  ['ValidationError', ValidationError, 'loc msg type'],
  ['ModelEntry', ModelEntry, 'model_id adapter base_model_id'],
  ['Job', Job, 'id name status started_at finished_at progress error'],
  ['Deployment', Deployment, 'model_id adapter_ids'],
  ['DeployRequest', DeployRequest, 'model_id adapter_ids dtype'],
  ['DeployStatus', DeployStatus, 'model_id adapter_ids job'],
  ['Dataset', Dataset, 'id name s3_path description'],
  ['FinetuneRequest', FinetuneRequest, 'name model_id dataset_id hyperparameters'],
  ['Hyperparameters', Hyperparameters, 'epochs learning_rate rank alpha max_seq_len batch_size seed'],
  ['FinetuneStatus', FinetuneStatus, 'id name model_id dataset_id job'],
  ['CompletionResponse', CompletionResponse, 'id object created model choices usage'],
  ['ChatCompletionResponse', ChatCompletionResponse, 'id object created model choices usage'],
  ['EmbeddingResponse', EmbeddingResponse, 'id object created model data usage'],
  ['RerankResponse', RerankResponse, 'id model results usage'],
  ['Usage', Usage, 'prompt_tokens total_tokens completion_tokens'],
  [
    'LayoutForm',
    LayoutForm,
    'files xml_keep_tags output_format coordinates strategy languages languages[] chunking_strategy max_characters new_after_n_chars overlap combine_under_n_chars include_page_breaks starting_page_number unique_element_ids encoding extract_image_block_types',
  ],
  ['LayoutElement', LayoutElement, 'type element_id text metadata'],
  [
    'BotRecord',
    BotRecord,
    'name hello_text retrive_n support_n example_questions user_story bot_creator_credentials files',
  ],
  ['CommandAccepted', CommandAccepted, 'command_id'],
  [
    'CommandListEntry',
    CommandListEntry,
    'status progress type created_at started_at finished_at error result',
  ],
  ['CommandProgress', CommandProgress, 'documents current_document'],
  ['CommandStatus', CommandStatus, 'status type created_at started_at finished_at error result'],
  ['BotFilesForm', BotFilesForm, 'files user_story sync time_to_eval'],
  ['BotUrlsForm', BotUrlsForm, 'urls user_story sync time_to_eval'],
  ['DocumentForm', DocumentForm, 'file'],
  ['DocumentUrlForm', DocumentUrlForm, 'url'],
  ['DocumentStatus', DocumentStatus, 'name url status pages chunks bytes sha256 indexed_at error'],
  ['Question', Question, 'question history stream'],
  ['Answer', Answer, 'answer summary documents relevant_questions usage'],
  ['Citation', Citation, 'title uri page passage_md score quote boxes'],
];

it.each(fields)('%s has every field of the specification', (_name, schema, names) => {
  expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(names.split(' ')));
});
