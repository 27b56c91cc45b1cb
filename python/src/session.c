// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <stdbool.h>

typedef struct {
    PyObject_HEAD
    jitune_session* session;  // null: of the standard session, or not made
    bool is_standard;
} SessionObject;

static PyObject* session_type;

static int set_options(jitune_options* options, PyObject* keywords) {
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t place = 0;
    while (keywords != NULL && PyDict_Next(keywords, &place, &name, &value)) {
        if (value == Py_None) {
            continue;
        }
        PyObject* text = call_helper("option_text", "(O)", value);
        PyObject* name_bytes = text == NULL ? NULL : PyUnicode_AsUTF8String(name);
        PyObject* text_bytes = name_bytes == NULL ? NULL : PyUnicode_EncodeFSDefault(text);
        const char* option = bytes_text(name_bytes);
        const char* chosen = option == NULL ? NULL : bytes_text(text_bytes);
        const bool failed = chosen == NULL;
        const jitune_status status =
            failed ? JITUNE_ERROR_USAGE : jitune_options_set(options, option, chosen);
        Py_XDECREF(text);
        Py_XDECREF(name_bytes);
        Py_XDECREF(text_bytes);
        if (failed || status != JITUNE_OK) {
            if (!failed) {
                raise_status(status);
            }
            return -1;
        }
    }
    return 0;
}

static int session_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
    SessionObject* self = (SessionObject*)object;
    if (PyTuple_Size(arguments) != 0) {
        PyErr_SetString(
            PyExc_TypeError,
            "Session takes options by their names alone, as in Session(database=\"my.db\")");
        return -1;
    }
    if (self->session != NULL || self->is_standard) {
        PyErr_SetString(PyExc_TypeError, "a Session is made once");
        return -1;
    }
    jitune_options* options = NULL;
    jitune_status status = jitune_options_create(&options);
    if (status == JITUNE_OK && set_options(options, keywords) != 0) {
        jitune_options_destroy(options);
        return -1;
    }
    if (status == JITUNE_OK) {
        status = jitune_session_create(options, &self->session);
    }
    jitune_options_destroy(options);
    if (status != JITUNE_OK) {
        raise_status(status);
        return -1;
    }
    return 0;
}

static void session_dealloc(PyObject* object) {
    SessionObject* self = (SessionObject*)object;
    PyTypeObject* type = Py_TYPE(object);
    // It may wait for threads of the session.
    Py_BEGIN_ALLOW_THREADS
    jitune_session_destroy(self->session);
    Py_END_ALLOW_THREADS
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject* text_object(jitune_status status, char* text) {
    if (status != JITUNE_OK) {
        return raise_status(status);
    }
    PyObject* object = PyUnicode_FromString(text);
    jitune_free(text);
    return object;
}

typedef jitune_status (*TextFunction)(jitune_session* session, char** text);

static PyObject* text_of(PyObject* self, TextFunction function) {
    char* text = NULL;
    jitune_status status = JITUNE_OK;
    jitune_session* session = NULL;
    if (read_session(self, &session) != 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = function(session, &text);
    Py_END_ALLOW_THREADS
    return text_object(status, text);
}

static PyObject* from_json(PyObject* text) {
    PyObject* document = text == NULL ? NULL : call_helper("from_json", "(O)", text);
    Py_XDECREF(text);
    return document;
}

static PyObject* session_counters(PyObject* self, PyObject* unused) {
    (void)unused;
    return from_json(text_of(self, jitune_session_counters));
}

static PyObject* session_devices(PyObject* self, PyObject* unused) {
    (void)unused;
    return from_json(text_of(self, jitune_session_devices));
}

static PyObject* session_digest(PyObject* self, PyObject* unused) {
    (void)unused;
    return text_of(self, jitune_session_table_digest);
}

int read_session(PyObject* object, jitune_session** session) {
    *session = NULL;
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (Py_TYPE(object) != (PyTypeObject*)session_type) {
        PyErr_Format(PyExc_TypeError, "session must be a jitune.Session or None, not %R",
                     (PyObject*)Py_TYPE(object));
        return -1;
    }
    const SessionObject* self = (const SessionObject*)object;
    *session = self->session;
    if (*session == NULL && !self->is_standard) {
        PyErr_SetString(PyExc_ValueError, "the session has not been made: call jitune.Session()");
        return -1;
    }
    return 0;
}

static PyObject* session_standard(PyObject* type, PyObject* unused) {
    (void)type;
    (void)unused;
    PyObject* session = PyType_GenericAlloc((PyTypeObject*)session_type, 0);
    if (session != NULL) {
        ((SessionObject*)session)->is_standard = true;
    }
    return session;
}

static PyMethodDef session_methods[] = {
    {"standard", session_standard, METH_NOARGS | METH_STATIC,
     "standard()\n--\n\nThe session of calls without one, which the environment configures."},
    {"counters", session_counters, METH_NOARGS,
     "counters($self, /)\n--\n\nNumbers of events since the session was made: a dict, whose keys "
     "are those of struct Counters."},
    {"devices", session_devices, METH_NOARGS,
     "devices($self, /)\n--\n\nA list with a dict for each device: id, name, device_class, driver, "
     "missing."},
    {"table_digest", session_digest, METH_NOARGS,
     "table_digest($self, /)\n--\n\n32 hexadecimal digits of the winners in the database. Reads "
     "the whole file."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_doc,
     "Session(**options)\n--\n\nDevices, compiled kernels and a tuning database, which calls "
     "share.\n\n"
     "Options have the names of struct Options: database, on_miss, budget (seconds) ... What is "
     "not given is "
     "as\nthe environment says. Raises jitune.UsageError for an option that does not exist or a "
     "value that is "
     "wrong."},
    {Py_tp_init, session_init},
    {Py_tp_dealloc, session_dealloc},
    {Py_tp_methods, session_methods},
    {0, NULL},
};

static PyType_Spec session_spec = {"jitune.Session", sizeof(SessionObject), 0, Py_TPFLAGS_DEFAULT,
                                   session_slots};

int add_session_type(PyObject* module) {
    return add_type(module, "Session", &session_spec, &session_type);
}

// ---- command ----

typedef struct {
    PyObject* function;      // or NULL
    PyThreadState** thread;  // saved while the command runs
    bool failed;             // with an exception
} Progress;

static int on_progress(const char* line, void* user) {
    Progress* progress = user;
    PyEval_RestoreThread(*progress->thread);
    int stop = PyErr_CheckSignals();  // Ctrl-C
    if (stop == 0 && progress->function != NULL) {
        PyObject* answer = PyObject_CallFunction(progress->function, "s", line);
        stop = answer == NULL ? -1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
    }
    progress->failed = progress->failed || stop < 0;
    *progress->thread = PyEval_SaveThread();
    return stop;
}

enum { kMostWords = 256 };

static PyObject* command(PyObject* words, Progress* progress, jitune_session* session) {
    const Py_ssize_t count = PySequence_Size(words);
    if (count < 0 || count > kMostWords) {
        PyErr_Format(PyExc_TypeError, "command: pass a list of at most %d words", (int)kMostWords);
        return NULL;
    }
    const char* texts[kMostWords];
    PyObject* kept = PyList_New(0);  // the bytes behind the texts
    for (Py_ssize_t i = 0; i < count && kept != NULL; ++i) {
        PyObject* word = PySequence_GetItem(words, i);
        PyObject* bytes = word == NULL ? NULL : PyUnicode_EncodeFSDefault(word);
        texts[i] = bytes_text(bytes);
        if (texts[i] == NULL || PyList_Append(kept, bytes) != 0) {
            Py_CLEAR(kept);
        }
        Py_XDECREF(bytes);
        Py_XDECREF(word);
    }
    if (kept == NULL) {
        return NULL;
    }
    char* json = NULL;
    PyThreadState* thread = PyEval_SaveThread();
    progress->thread = &thread;
    const jitune_status status =
        jitune_command(session, texts, (size_t)count, on_progress, progress, &json);
    PyEval_RestoreThread(thread);
    Py_DECREF(kept);
    if (progress->failed) {
        jitune_free(json);
        return NULL;
    }
    if (status != JITUNE_OK) {
        jitune_free(json);
        return raise_status(status);
    }
    return text_object(status, json);
}

PyObject* run_command(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords) {
    (void)self;
    static const char* const names[] = {"words", "progress", "session", NULL};
    PyObject* values[3] = {NULL};
    jitune_session* session = NULL;
    if (read_arguments("command", arguments, count, keywords, names, 2, values) != 0 ||
        read_session(values[2], &session) != 0) {
        return NULL;
    }
    if (values[0] == NULL || PyUnicode_Check(values[0])) {
        PyErr_SetString(PyExc_TypeError, "command: pass a list of words");
        return NULL;
    }
    Progress progress = {values[1] == Py_None ? NULL : values[1], NULL, false};
    return command(values[0], &progress, session);
}
