"""Processes that run the providers' own code, each with the interpreter of its own environment.

A worker reads questions as JSON lines and answers each with a line (:mod:`tests.judges.workers.answering`). It imports
the standard library, its judges' packages and this folder. Nothing of the proxy may be imported here.

answering        the loop, and the form of questions and answers mistral          mistral-common's validators, of the
version that is on the path sdk_types        the request types of anthropic, cohere, mistralai, ollama and openai
google_types     google-ai-generativelanguage's protobufs, and google-genai's types bedrock          botocore's model of
Converse templates        chat templates, rendered as transformers and vLLM render them archives         the templates,
read out of the packages that carry them
"""
